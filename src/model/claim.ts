// What the token of a caller says, as declarations ask for it. In statements a claim is a parameter, so that the
// requests of all callers have one text; where they share a run, it is a column beside what each asks for.
import { hash } from "node:crypto";
import * as v from "valibot";
import type { Scalar, Slot, Value } from "../db/sql.ts";
import { type Caller, callerName } from "./caller.ts";
import type { Claimed, Parameter } from "./model.ts";
import { isStorable } from "./storable.ts";

/** A claim that a declaration names: by its name, or, with a slash at its beginning, by a JSON pointer. */
export class Claim {
  readonly claim: string;

  constructor(claim: string) {
    this.claim = claim;
  }
}

/** A parameter that a claim fills. */
export interface ClaimSlot extends Slot {
  type: string;
  claim: string;
  /** How one value is read. */
  parse: Parameter;
  /** Whether it takes each value of the claim, in an array. */
  isArray: boolean;
}

/** The longest name that is part of that of a parameter as it is. */
const LONGEST = 24;

/** Whether a parameter is one that a claim fills. */
export function isClaim(slot: Slot): slot is ClaimSlot {
  return Object.hasOwn(slot, "claim");
}

/** What a claim is for a field whose values Postgres compares as texts, whatever else the field takes. */
const ANY_TEXT: Parameter = v.pipe(v.string(), v.check(isStorable));

/** The parameter of a claim whose values are of a type. */
export function claimSlot(
  name: string,
  { sqlType, value }: { sqlType?: string | undefined; value: Parameter },
  isArray: boolean,
): ClaimSlot {
  const [one, parse] = sqlType === undefined ? ["text", ANY_TEXT] : [sqlType, value];
  const type = isArray ? `${one}[]` : one;
  return {
    slot: `${slotName(name)}_${type.replace("[]", "s")}`,
    type,
    claim: name,
    parse,
    isArray,
  };
}

/** The parameter with the name of the caller, which no claim has. */
export const callerSlot: ClaimSlot = {
  slot: "relata_caller",
  type: "text",
  claim: "",
  parse: ANY_TEXT,
  isArray: false,
};

/** No field begins so, and no other parameter. */
function slotName(name: string): string {
  const isPlain = /^\w+$/.test(name) && name.length <= LONGEST;
  return `relata_claim_${isPlain ? name : hash("sha256", name, "hex").slice(0, LONGEST)}`;
}

/** The parameters of a piece that claims fill, each once. */
export function claimsIn(piece: { slots: readonly Slot[] }): ClaimSlot[] {
  const slots = piece.slots.filter(isClaim);
  return [...new Map(slots.map((each) => [each.slot, each])).values()];
}

/** The values of the parameters that claims fill. What is missing, or is not of the type, equals nothing. */
export function claimValues(
  piece: { slots: readonly Slot[] },
  caller: Caller,
): Record<string, Value> {
  const { claims } = caller;
  return Object.fromEntries(
    claimsIn(piece).map(({ slot, claim, parse, isArray }) => {
      if (slot === callerSlot.slot) return [slot, callerName(caller)];
      const values = valuesOf(claims[claim], parse);
      return [slot, isArray ? values : Array.isArray(claims[claim]) ? null : values[0] ?? null];
    }),
  );
}

/** What a claim gives a field that clients leave out; undefined if the field does not take it. */
export function claimedValue({ write, filter }: Claimed, { claims }: Caller): unknown {
  const { claim } = write.default;
  const [parsed] = filter ? valuesOf(claims[claim], filter.value) : [];
  const fitting = [claims[claim], parsed].find((value) => v.is(write.schema, value));
  return fitting === undefined ? undefined : v.parse(write.schema, fitting);
}

/** A claim is a text, a number or true or false, or a list of them. */
function valuesOf(claim: unknown, parse: Parameter): Scalar[] {
  return (Array.isArray(claim) ? claim : [claim]).flatMap((each) => {
    if (!["string", "number", "boolean"].includes(typeof each)) return [];
    const { success, output } = v.safeParse(parse, String(each));
    return success ? [output as Scalar] : [];
  });
}
