// The places that a schema leads to, with what it says at each: members, elements and the values of
// maps, however deep.
import { pointerTo } from "../model/pointer.ts";
import type { Facts, Sheet, Source, Thing } from "./facts.ts";
import { literal } from "./json.ts";
import type { Direction } from "./rules.ts";
import { isClosed, type Schema, schemaOf, type Shape } from "./shape.ts";

/** Places of one schema after which those that lead further are compared as text: schemas that embed
 * each other have more places than anyone reads. */
const MANY_PLACES = 1_000;

/** Something that a schema leads to, by the pointer from there. */
interface Step {
  pointer: string;
  schema: Schema;
  kind: "member" | "element" | "others";
  facts: Partial<Facts>;
}

/** Puts down a thing with what its schema says, and the things that the schema leads to. */
export function addSchema(sheet: Sheet, place: string, owner: Thing, value: unknown): void {
  const trail: ReadonlyMap<string, string> = new Map();
  const queue = [{ pointer: "", thing: owner, schema: schemaOf(value), trail }];
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

/** Why a schema is compared as text, with its text; undefined where it is judged. */
function unjudgedAt({ text }: Source, schema: Schema, { types, unjudged }: Shape, isMuch: boolean) {
  const keywords = unjudged.toSorted().map((keyword) => `"${keyword}"`).join(", ");
  if (keywords) return { [`a schema with ${keywords}`]: text(schema) };
  if (isMuch) return { "a schema of many places": text(schema) };
  const isContradiction = types.size === 0 && !schema.includes(false);
  return isContradiction ? { "a schema that nothing meets": text(schema) } : undefined;
}

function factsOf(shape: Shape, steps: Step[]): Partial<Facts> {
  const listed = steps.filter(({ kind }) => kind === "member").map(({ pointer }) => pointer);
  return { shape, names: { listed, isOpen: steps.some(({ kind }) => kind === "others") } };
}

/** The steps from a schema. Clients do not send what is only read, nor read what is only written. */
function stepsFrom({ shape: read }: Source, direction: Direction, shape: Shape): Step[] {
  const { types, members, required, additional, items } = shape;
  const hidden = direction === "request" ? "readOnly" : "writeOnly";
  const steps: Step[] = [];
  for (const name of types.has("object") ? new Set([...members.keys(), ...required]) : []) {
    const schema = members.get(name) ?? additional;
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

/** The pointer to a member, which no other step has, whatever its name. */
function stepTo(name: string): string {
  return name === "*" || name === "[]" ? `/~${name}` : pointerTo(name);
}
