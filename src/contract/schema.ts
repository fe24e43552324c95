// The places inside a schema, at any depth, and their facts: members, elements, values of maps.
import { pointerTo } from "../model/pointer.ts";
import type { Facts, Sheet, Source, Thing } from "./facts.ts";
import { literal } from "./json.ts";
import type { Direction } from "./rules.ts";
import { isClosed, type Schema, schemaOf, type Shape } from "./shape.ts";

/** After this many places in one schema, the rest is compared as text: schemas that embed each other have
 * an endless number. */
const MANY_PLACES = 1_000;

/** A place inside a schema, by the pointer to it. */
interface SchemaStep {
  pointer: string;
  schema: Schema;
  kind: "member" | "element" | "others";
  facts: Partial<Facts>;
}

/** Adds a thing with the facts of its schema, and the things inside. */
export function addSchema(sheet: Sheet, place: string, owner: Thing, value: unknown): void {
  const trail: ReadonlyMap<string, string> = new Map();
  const queue = [{ pointer: "", thing: owner, schema: schemaOf(value), trail }];
  // The queue grows during the loop, by the places inside each
  for (const { pointer, thing, schema, trail } of queue) {
    const { direction, facts } = thing;
    const here = pointer ? `${place} ${pointer}` : place;
    const shape = sheet.shape(schema);
    const steps = stepsFrom(sheet, direction, shape);
    const name = literal(schema);
    const unjudged = trail.has(name)
      ? { "a recursion": `to ${trail.get(name)}` }
      : unjudgedAt(sheet, schema, shape, steps.length > 0 && queue.length > MANY_PLACES);
    const said = unjudged
      ? { unjudged: { ...facts.unjudged, ...unjudged } }
      : factsOf(shape, steps);
    sheet.things.set(here, { ...thing, facts: { ...facts, ...said } });
    if (unjudged) continue;
    const inner = new Map(trail).set(name, pointer);
    for (const { pointer: step, schema, ...own } of steps) {
      const below = { ...own, direction, holder: here };
      queue.push({ pointer: pointer + step, thing: below, schema, trail: inner });
    }
  }
}

/** Why a schema is compared as text, with its text; undefined if it is judged. */
function unjudgedAt({ text }: Source, schema: Schema, shape: Shape, isMuch: boolean) {
  const { types, unjudged, required } = shape;
  const keywords = unjudged.toSorted().map((keyword) => `"${keyword}"`).join(", ");
  if (keywords) return { [`a schema with ${keywords}`]: text(schema) };
  if (isMuch) return { "a schema of many places": text(schema) };
  const isContradiction = types.size === 0 && !schema.includes(false) ||
    types.has("object") && required.some((name) => schemaAt(shape, name).includes(false));
  return isContradiction ? { "a schema that nothing meets": text(schema) } : undefined;
}

function factsOf(shape: Shape, steps: SchemaStep[]): Partial<Facts> {
  const listed = steps.filter(({ kind }) => kind === "member").map(({ pointer }) => pointer);
  return { shape, names: { listed, isOpen: steps.some(({ kind }) => kind === "others") } };
}

/** The places directly inside a schema. Clients do not send read-only members, or read write-only ones. */
function stepsFrom({ shape: read }: Source, direction: Direction, shape: Shape): SchemaStep[] {
  const { types, members, required, additional, items } = shape;
  const hidden = direction === "request" ? "readOnly" : "writeOnly";
  const steps: SchemaStep[] = [];
  for (const name of types.has("object") ? new Set([...members.keys(), ...required]) : []) {
    const schema = schemaAt(shape, name);
    const isUnlisted = isClosed(shape) && schema.includes(false);
    if (isUnlisted || read(schema).flags.includes(hidden)) continue;
    const demand = { kind: "member", isRequired: required.includes(name) } as const;
    steps.push({ pointer: stepTo(name), schema, kind: "member", facts: { demand } });
  }
  if (types.has("object") && !isClosed(shape) && additional.length > 0) {
    steps.push({ pointer: "/*", schema: additional, kind: "others", facts: {} });
  }
  if (types.has("array") && items.length > 0) {
    steps.push({ pointer: "/[]", schema: items, kind: "element", facts: {} });
  }
  return steps;
}

/** The schema of a member, listed or not. */
function schemaAt({ members, additional }: Shape, name: string): Schema {
  return members.get(name) ?? additional;
}

/** The pointer to a member, which differs from that of any other place. */
function stepTo(name: string): string {
  return name === "*" || name === "[]" ? `/~${name}` : pointerTo(name);
}
