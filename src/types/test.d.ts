/** A server of the project in the working directory. */
export interface Server {
  /** Answers a request to a path, such as `/api/books/`, of a service, which may do all. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** The same for whom a token with these claims stands for, or, with null, for who sends none:
   * `relata.as({ sub: "ann", roles: ["admin"] }).fetch("/api/notes/")`. */
  as(claims: Claims | null): Pick<Server, "fetch">;
  /** Runs a statement, for example to insert rows that no route makes; resolves to the rows that it returns. */
  sql<Row extends object = Record<string, unknown>>(
    strings: TemplateStringsArray,
    ...values: (string | number | boolean | null)[]
  ): Promise<Row[]>;
  /** Ends the server, and removes its database. */
  stop(): Promise<void>;
}

/** What a token says, as the access of a project asks for it. */
export interface Claims {
  /** Whom it stands for. */
  sub: string;
  /** The roles, whatever claim of a token has them (`JWT_ROLES`). */
  roles?: readonly string[];
  /** The others by their names; what a JSON pointer leads to is in objects. */
  [claim: string]: unknown;
}

/** Starts a server on a fresh embedded database with the project's migrations. It listens on no port. */
export function start(): Promise<Server>;
