// The one table of problems (RFC 9457). Code anywhere throws a `Problem`; `app.ts` catches it once. Other
// errors are looked up here.
import { isFailingFunction } from "../db/errors.ts";

interface Explained {
  title: string;
  /** What it means and what to do, for `GET /problems/{code}`. */
  meaning: string;
}

/** The problems of a whole request. */
export const problems = {
  malformed_request: {
    status: 400,
    title: "Malformed request",
    meaning: "The request is not valid HTTP. The detail says where.",
  },
  invalid_parameter: {
    status: 400,
    title: "Invalid query parameter",
    meaning:
      "A query parameter is unknown, repeated, malformed or missing, or a report has too many rows " +
      "without it, or an action returns too many. The detail names it.",
  },
  invalid_header: {
    status: 400,
    title: "Invalid header",
    meaning: "A header that this path uses is malformed. The detail names it.",
  },
  malformed_body: {
    status: 400,
    title: "Malformed body",
    meaning: "The body is not JSON text in UTF-8, or did not arrive whole.",
  },
  unauthorized: {
    status: 401,
    title: "Unauthorized",
    meaning:
      'Send a valid token in the header "Authorization: Bearer TOKEN". The operator of this ' +
      "server makes tokens, or says who does. One that has expired or was revoked stays invalid.",
  },
  insufficient_scope: {
    status: 403,
    title: "Insufficient scope",
    meaning:
      "The token is valid, but does not allow this. WWW-Authenticate names the scope that does.",
  },
  forbidden: {
    status: 403,
    title: "Forbidden",
    meaning:
      "Nothing lets the caller do this: to these rows at all, or to this row, which the caller may read.",
  },
  not_found: {
    status: 404,
    title: "Not found",
    meaning: "There is nothing at this path, or the row it names does not exist.",
  },
  method_not_allowed: {
    status: 405,
    title: "Method not allowed",
    meaning: "The path does not have this method. The Allow header lists the methods it has.",
  },
  not_acceptable: {
    status: 406,
    title: "Not acceptable",
    meaning: "The Accept header allows none of the media types in which this path answers.",
  },
  request_timeout: {
    status: 408,
    title: "Request timeout",
    meaning: "The body did not arrive in time. Nothing was written.",
  },
  in_progress: {
    status: 409,
    title: "In progress",
    meaning: "The first request with this Idempotency-Key has not ended yet. Send it again later.",
  },
  still_referenced: {
    status: 409,
    title: "Still referenced",
    meaning:
      "Other rows refer to this one, or to one that would go with it, so nothing was written. Change " +
      "or delete them first. The member references holds the paths that list them, if there are any.",
  },
  precondition_failed: {
    status: 412,
    title: "Precondition failed",
    meaning:
      "The current state does not meet If-Match or If-None-Match, so nothing was written. Of a row, " +
      "the member current is what it is now, or null if there is none, and ETag is its tag. A weak " +
      "tag never matches If-Match.",
  },
  content_too_large: {
    status: 413,
    title: "Content too large",
    meaning: "The body is larger than this server allows.",
  },
  unsupported_media_type: {
    status: 415,
    title: "Unsupported media type",
    meaning:
      "Send the body in a media type that the Accept header of the answer lists, in UTF-8 and " +
      "without a content coding.",
  },
  misdirected_request: {
    status: 421,
    title: "Misdirected request",
    meaning:
      "The request names a host that is not one of this server. Where it needs no token, these are " +
      "the loopback and the host of its setting BASE_URL.",
  },
  invalid: {
    status: 422,
    title: "Invalid",
    meaning:
      "The body is valid JSON, but this resource does not accept it. The member errors lists every " +
      "failing field, a hundred at most, with a JSON pointer, a code and a detail.",
  },
  too_many_requests: {
    status: 429,
    title: "Too many requests",
    meaning:
      "The caller has no requests left for now. Try again after Retry-After seconds. The header " +
      "RateLimit of each answer tells how many are left.",
  },
  internal: {
    status: 500,
    title: "Internal error",
    meaning:
      "The server has a defect. Its log has the details under the identifier of the request.",
  },
  unavailable: {
    status: 503,
    title: "Unavailable",
    meaning:
      "The database, or the issuer of the token, cannot serve the request now. Try again after Retry-After seconds. Where the " +
      "detail says that nobody knows whether a create was carried out, only one with an " +
      "Idempotency-Key is not carried out twice.",
  },
  out_of_time: {
    status: 504,
    title: "Out of time",
    meaning: "The request took longer than this server allows. A write may have succeeded.",
  },
} as const satisfies Record<string, Explained & { status: number }>;

/** The problems of a field, or of the body as a whole: the entries of `errors` in an `invalid` problem, and what
 * each means. */
export const fieldProblems = {
  required: "The field must be sent.",
  unknown_field: "The resource has no writable field of this name.",
  read_only: "The field is read and never written. Leave it out.",
  incorrect_type:
    "The value has another JSON type than the field. A relation takes only the identifier, " +
    "never the object that it is read as.",
  too_short: "The text has fewer Unicode code points than the field takes.",
  too_long:
    "The text has more Unicode code points than the field holds, or the JSON, or what base64 stands for, more bytes.",
  too_deep: "The JSON has more objects and arrays within each other than the field takes.",
  invalid_text: "The text contains U+0000 or an unpaired surrogate, which cannot be stored.",
  invalid_format: "The text is not written as the field needs it. The detail says how.",
  invalid_choice: "The text is not one of those that the field takes. The detail lists them.",
  too_small: "The number is below the least that the field takes.",
  too_large: "The number is above the most that the field takes.",
  reused_key:
    "The Idempotency-Key was sent before with another body. Use a new key for each request.",
  taken:
    'Another row has this value, or is in conflict with this one. At the pointer "" it is about ' +
    "several fields.",
  rejected:
    "The database does not accept the value or the row: a constraint, a trigger or a policy is " +
    "against it.",
  duplicate: "The identifier is there twice. Send each once.",
  too_few: "The array has fewer elements than are taken.",
  too_many: "The array has more elements than are taken.",
  not_allowed:
    'The caller may not write a row with this value. At the pointer "" it is about the row as a whole.',
  does_not_exist:
    "The identifier is not among the candidates of the relation, or no row has what a foreign key refers to.",
} as const satisfies Record<string, string>;

export type ProblemCode = keyof typeof problems;
export type FieldCode = keyof typeof fieldProblems;

/** One failure: the pointer to the field (RFC 6901; empty for the whole body), the code, what to do. */
export interface FieldFailure {
  pointer: string;
  code: FieldCode;
  detail: string;
}

/** A path that lists the rows of a resource that refer to a row. */
export interface Reference {
  resource: string;
  href: string;
}

/** A row as its JSON text, and its entity tag without the quotes. */
export interface Representation {
  body: string;
  /** It changes with the body. */
  tag: string;
}

/** The error that ends a request. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly headers: Record<string, string>;
  readonly failures: FieldFailure[] | undefined;
  readonly references: Reference[] | undefined;
  /** The row that a condition does not hold for, as the caller reads it now; null if there is none. */
  readonly current: Representation | null | undefined;

  constructor(
    code: ProblemCode,
    detail: string,
    { headers = {}, failures, references, current, cause }: {
      headers?: Record<string, string>;
      failures?: FieldFailure[];
      references?: Reference[];
      current?: Representation | null | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(detail, { cause });
    this.code = code;
    this.headers = headers;
    this.failures = failures;
    this.references = references;
    this.current = current;
  }
}

/** The most characters of a name that a problem repeats: clients can send names of a megabyte. */
const NAME_LENGTH = 64;

/** A name that a client sent, cut to a length that a problem may repeat. */
export function shortened(name: string): string {
  const characters = [...name.slice(0, 2 * NAME_LENGTH + 2)]; // one is two code units at most
  return characters.length > NAME_LENGTH ? `${characters.slice(0, NAME_LENGTH).join("")}…` : name;
}

/** The most failures that are listed. A body can have hundreds of thousands, and to look for all of them would
 * stop the process for seconds. */
export const MOST_FAILURES = 100;

/** The problem of a body, with its failures. Of more than are listed, it needs one more at least. The cause is
 * for the log. */
export function invalid(failures: FieldFailure[], cause?: unknown): Problem {
  const whole = failures.find(({ pointer }) => pointer === "");
  if (whole) return new Problem("invalid", whole.detail, { failures, cause });
  const count = failures.length;
  const detail = count > MOST_FAILURES
    ? `More than ${MOST_FAILURES} fields fail; the first ${MOST_FAILURES} are listed`
    : count === 1
    ? "One field fails"
    : `${count} fields fail`;
  return new Problem("invalid", detail, { failures: failures.slice(0, MOST_FAILURES), cause });
}

/** The names of system errors, such as `ENETUNREACH` and `EAI_AGAIN`. While a request is served, only the
 * connection to the database can cause one. */
const SYSTEM_ERROR = /^E(AI_)?[A-Z]+$/;

/** The problems for the codes of Postgres (its appendix A), perhaps with the routine that reports it, of
 * postgres.js, and of the system. */
const databaseErrors: [pattern: RegExp, code: ProblemCode, detail: string][] = [
  [/^(23503|23001)$/, "still_referenced", "Other rows still refer to this one"],
  [/^57014$/, "out_of_time", "The database took too long"],
  [/^08007$/, "unavailable", "Nobody knows whether the database carried this out"],
  [/^(42P01|42703|42809|3F000)$/, "unavailable", "The database lacks the schema of this server"],
  [
    /^(08|28|3D|40|53|55|57|58)...$|^(25006|42501|42704)$|^54000 (GetNew|.*xtend)/,
    "unavailable",
    "The database cannot serve the request now",
  ],
  [/^0A000 RewriteQuery$/, "unavailable", "The table has rules that this server cannot write with"],
  [/^(CONNECT|SASL)/, "unavailable", "The database cannot be reached"],
  [/^ERR_(SSL|TLS)_|(^|_)CERT(_|$)|_LEAF_/, "unavailable", "The database cannot be reached"],
  [SYSTEM_ERROR, "unavailable", "The database cannot be reached"],
];

/** The problem for an error; an error that is in no table is a defect. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const { severity, routine } = (error ?? {}) as { severity?: string; routine?: string };
  if (severity === "FATAL" || severity === "PANIC") { // about the session, not the statement
    return new Problem("unavailable", "The database cannot serve the request now", {
      cause: error,
    });
  }
  if (isFailingFunction(error)) {
    return new Problem("unavailable", "A function of the database fails", { cause: error });
  }
  const code = String((error as { code?: unknown } | null)?.code ?? "");
  const codes = [code, `${code} ${routine}`];
  const row = databaseErrors.find(([pattern]) => codes.some((each) => pattern.test(each)));
  return row
    ? new Problem(row[1], row[2], { cause: error })
    : new Problem("internal", "The server failed to answer", { cause: error });
}
