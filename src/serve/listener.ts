// The interface between a port and the app.
import type { Reply } from "../http/response.ts";

/** What answers the requests: by a `Response`, which Deno sends, or by its parts. Neither rejects. */
export interface Answering {
  fetch(request: Request): Promise<Response>;
  reply(request: Request): Promise<Reply>;
}

export interface ListenAddress {
  host: string;
  /** The port to listen on; 0 means any free one. */
  port: number;
  /** Whether other processes may listen on it too. */
  reusePort: boolean;
  /** Seconds that a request may take. Under Node they also limit how long a client may take to send the
   * head and to read the answer. */
  timeLimit: number;
  /** Seconds that an idle connection is kept under Node. Deno keeps it until the client closes it. */
  keepAlive: number;
}

export interface Listener {
  /** The port it listens on. */
  port: number;
  /** Rejects if the runtime closes the port by itself; never resolves. */
  failed: Promise<never>;
  /** Accepts no more connections; resolves when all answers are sent. */
  close(): Promise<void>;
}
