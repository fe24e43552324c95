// What listens: where, by what, and how it ends.

export type Fetch = (request: Request) => Promise<Response>;

export interface Address {
  host: string;
  /** The port to listen on; 0 takes a free one. */
  port: number;
  /** Whether other processes may listen on it too. */
  reusePort: boolean;
  /** Seconds that a request may take, from which Node's limits for its head, its body and the client's
   * reading follow. Deno has no such limits. */
  timeLimit: number;
  /** Seconds that an idle connection is kept under Node. Deno keeps it as long as the client does. */
  keepAlive: number;
}

export interface Listener {
  /** The port it listens on. */
  port: number;
  /** Rejects if the runtime closes the port by itself; never resolves. */
  failed: Promise<never>;
  /** Takes no more connections; resolves when what was answered has left. */
  close(): Promise<void>;
}
