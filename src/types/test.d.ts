/** A server of the project in the working directory. */
export interface Server {
  /** Answers a request to a path, such as `/api/books/`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Ends the server, and removes its database. */
  stop(): Promise<void>;
}

/** Starts a server on a fresh embedded database with the project's migrations. It listens on no port. */
export function start(): Promise<Server>;
