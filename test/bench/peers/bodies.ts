// What a body has to be, for the peers whose framework does not validate by a schema.

export interface FooBody {
  name: string;
  bar: number;
}

export interface BottageBody {
  cul: string;
  colere: number;
}

export function isFoo(body: unknown): body is FooBody {
  return hasTwo(body) && isText(body["name"]) && fits(body["name"]) && isIdentifier(body["bar"]);
}

export function isBottage(body: unknown): body is BottageBody {
  return hasTwo(body) && isText(body["cul"]) && isIdentifier(body["colere"]);
}

function hasTwo(body: unknown): body is Record<string, unknown> {
  return typeof body === "object" && body !== null && Object.keys(body).length === 2;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && !value.includes("\0");
}

/** Whether it has at most 64 characters, each of one unit or two. */
function fits(value: string): boolean {
  return value.length <= 64 || (value.length <= 128 && [...value].length <= 64);
}

function isIdentifier(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}
