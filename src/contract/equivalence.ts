// Which alternatives, and which unions of them, say the same in two documents, however deep and
// however they lead back to themselves: what says the same itself is taken for the same until it is
// told apart by what is below it (partition refinement).
import type { Alternative, Schema, Union, Unjudged } from "./alternative.ts";
import { literal } from "./json.ts";
import type { Reader } from "./reader.ts";

interface Node {
  /** What it says itself. */
  label: string;
  /** The alternatives of a union, or the unions that an alternative admits below it. */
  below: Node[];
  above: Node[];
  kind: number;
}

/** The number that an alternative or a union shares with all that say the same. */
export type KindOf = (one: Alternative | Union) => number;

/** The label of a union, whose alternatives have neither an order nor a number. */
const UNION = "union";

/** Tells the kinds of some schemas, each of one document, and of all below them. Two values that no
 * rule judges are taken for the same where they have the same name. */
export function kinds(
  roots: Iterable<[Reader, Schema]>,
  nameOf: (unjudged: Unjudged, read: Reader) => string,
): KindOf {
  const nodes = new Map<Alternative | Union, Node>();
  const reached: [Reader, Union, Node][] = [];

  function add(one: Alternative | Union, label: string): Node {
    const node: Node = { label, below: [], above: [], kind: 0 };
    nodes.set(one, node);
    return node;
  }

  function reach(read: Reader, schema: Schema): Node {
    const union = read(schema);
    const known = nodes.get(union);
    if (known) return known;
    const node = add(union, UNION);
    reached.push([read, union, node]);
    return node;
  }

  function addAlternative(read: Reader, one: Alternative): Node {
    const names = [...one.members.keys()].sort();
    const node = add(one, labelled(one, names, one.unjudged.map((value) => nameOf(value, read))));
    const schemas = [...names.map((name) => one.members.get(name)!), one.additional, one.items];
    for (const schema of schemas) link(node, reach(read, schema));
    return node;
  }

  for (const [read, schema] of roots) reach(read, schema);
  for (const [read, union, node] of reached) {
    for (const one of union) link(node, nodes.get(one) ?? addAlternative(read, one));
  }
  refine([...nodes.values()]);
  return (one) => nodes.get(one)!.kind;
}

function link(node: Node, below: Node): void {
  node.below.push(below);
  below.above.push(node);
}

function labelled(one: Alternative, members: string[], unjudged: string[]): string {
  const conditions = [...new Set(one.conditions.map(literal))].sort();
  const said = {
    ...one,
    members,
    additional: [],
    items: [],
    unjudged: unjudged.sort(),
    conditions,
  };
  return JSON.stringify(said, (_, value) => value instanceof Set ? [...value].sort() : value);
}

/** Gives nodes that are alike all the way down the same kind, and no others. */
function refine(nodes: readonly Node[]): void {
  const members = [...Map.groupBy(nodes, ({ label }) => label).values()].map((group) =>
    new Set(group)
  );
  members.forEach((group, kind) => group.forEach((node) => node.kind = kind));
  let touched = new Set(nodes);
  while (touched.size > 0) {
    // Every signature first: all must speak of the kinds of one moment.
    const splits = [...Map.groupBy(touched, ({ kind }) => kind)].map(([kind, some]) => {
      const groups = [...Map.groupBy(some, signature).values()];
      // Who was not touched keeps the kind, else the most do, which ends soonest.
      if (some.length < members[kind]!.size) return groups;
      return groups.sort((one, other) => other.length - one.length).slice(1);
    });
    touched = new Set();
    for (const group of splits.flat()) {
      const kind = members.push(new Set(group)) - 1;
      for (const node of group) {
        members[node.kind]!.delete(node);
        node.kind = kind;
        for (const above of node.above) touched.add(above);
      }
    }
  }
}

function signature({ label, below }: Node): string {
  const kinds = below.map(({ kind }) => kind);
  return (label === UNION ? [...new Set(kinds)].sort() : kinds).join();
}
