// What a request with an Idempotency-Key reads and writes besides its rows, in the same transaction.
import { slot, type Sql, sql, writes } from "../db/sql.ts";
import type { Identifier } from "../model/key.ts";
import { refuse } from "./refusal.ts";
import type { Made } from "./sent.ts";

export const keyTable = {
  name: "relata_idempotency",
  columns: [
    "request",
    "caller",
    "method",
    "path",
    "key",
    "sent",
    "status",
    "identifier",
    "text",
    "created_at",
  ],
};

/** A request with a key, as it is kept. */
export interface KeyedRequest {
  /** The SHA-256 of the next four, in hexadecimal. */
  request: string;
  /** The `id` of a `Caller`, and what else its answers depend on. */
  caller: string;
  method: string;
  /** With the identifier in it. */
  path: string;
  key: string;
  /** The SHA-256 of the conditions and the body, in hexadecimal. */
  sent: string;
}

/** The answer to a request with a key: with the row, or one of them, and its body. */
export interface Kept extends Made {
  status: 200 | 201 | 204;
}

/** Why a request with a key is not carried out: another one is under way, or has been. */
export const TAKEN = "key";

const request = sql`${slot("request", "text")}`;

/** JSON, after the key is taken: others with it are kept out until the transaction ends. Fails if one is under way, or
 * has been. */
export function onceTaken(json: Sql): Sql {
  return sql`
    case
      when relata_take(${request})
      then ${json}
      else ${refuse(sql`${TAKEN}`)}::json
    end`;
}

/** Takes the key, and nothing else. */
export const takeStatement = writes<KeyedRequest, never>(
  "take a key",
  sql`select ${onceTaken(sql`null`)}`,
);

/** Inserts an answer, each of its parts as SQL. */
export function keep(status: Sql, identifier: Sql, text: Sql): Sql {
  return sql`
    insert into relata_idempotency (
      request, caller, method, path, key, sent, status, identifier, text
    )
    select
      ${request},
      ${slot("caller", "text")},
      ${slot("method", "text")},
      ${slot("path", "text")},
      ${slot("key", "text")},
      ${slot("sent", "text")},
      ${status},
      ${identifier},
      ${text}`;
}

/** Keeps the answer. */
export const keepStatement = writes<
  KeyedRequest & Omit<Kept, "id"> & { identifier: Identifier },
  never
>(
  "keep a key",
  keep(
    sql`${slot("status", "smallint")}`,
    sql`${slot("identifier", "text")}`,
    sql`${slot("text", "text")}`,
  ),
);

/** Finds what was answered, and whether the same was sent then. */
export const keptStatement = writes<KeyedRequest, Kept & { isSame: boolean }>(
  "find a key",
  sql`
    select
      sent = ${slot("sent", "text")} as "isSame",
      status,
      identifier as id,
      text
    from relata_idempotency
    where request = ${request}`,
);

/** The most expired keys, or changes, that one request deletes. */
export const FORGOTTEN = 1000;

/** Deletes expired keys, except those that another request is deleting. */
export const forgetStatement = writes<{ hours: number }, { count: number }>(
  "forget keys",
  sql`
    with forgotten as (
      delete from relata_idempotency
      where request in (
        select request
        from relata_idempotency
        where created_at <= now() - make_interval(hours => ${slot("hours", "integer")})
        limit ${FORGOTTEN}
        for update skip locked
      )
      returning key
    )
    select count(*)::integer as count
    from forgotten`,
);

/** All of these. */
export const onceStatements = [
  takeStatement,
  keepStatement,
  keptStatement,
  forgetStatement,
];
