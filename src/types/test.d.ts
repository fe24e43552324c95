/** A server of the project in the working directory. */
export interface Server {
  /** Answers a request to a path, such as `/api/books/`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Runs a statement, for example to insert rows that no route makes; resolves to the rows that it returns. */
  sql<Row extends object = Record<string, unknown>>(
    strings: TemplateStringsArray,
    ...values: (string | number | boolean | null)[]
  ): Promise<Row[]>;
  /** Ends the server, and removes its database. */
  stop(): Promise<void>;
}

/** Starts a server on a fresh embedded database with the project's migrations. It listens on no port. */
export function start(): Promise<Server>;
