// Every place that the changes of a schema reach.
import type { Schema } from "./alternative.ts";
import type { Differ, Difference } from "./difference.ts";
import type { Finding } from "./finding.ts";

/** A difference among those that it leads to. */
interface Node {
  findings: readonly Finding[];
  below: { step: string; node: Node }[];
  /** The number in the order of the visits, and the lowest one that it leads back to. */
  order: number;
  lowest: number;
  /** What leads back to itself by way of this one; undefined while it is being found out. */
  recursion?: Node;
  /** Whether it holds a finding or leads to one. */
  isChanged: boolean;
}

/** Places of one schema after which only changes that were not met yet are looked for: schemas that
 * embed each other have more places than anyone reads. */
const MANY_PLACES = 200;

/** The changes from one schema to another, with the pointers to their places. */
export type FindChanges = (before: Schema, after: Schema) => Finding[];

export function places(differ: Differ): FindChanges {
  const nodes = new Map<Difference, Node>();
  let visits = 0;

  return (before, after) => {
    const root = settled(differ(before, after));
    const queue = [{ node: root, pointer: "", depth: 0 }];
    const depths = new Map([[root, 0]]);
    for (const { node, pointer, depth } of queue) {
      for (const { step, node: next } of node.below) {
        if (!next.isChanged) continue;
        const nearest = depths.get(next);
        // A recursion is followed once, by the shortest ways.
        const isKnown = nearest !== undefined &&
          (queue.length > MANY_PLACES || (next.recursion === node.recursion && nearest <= depth));
        if (isKnown) continue;
        depths.set(next, Math.min(nearest ?? Infinity, depth + 1));
        queue.push({ node: next, pointer: pointer + step, depth: depth + 1 });
      }
    }
    return queue.flatMap(({ node, pointer }) =>
      node.findings.map((finding) => ({ ...finding, pointer: pointer + finding.pointer }))
    );
  };

  /** The node of a difference, and before it those of all below (Tarjan's algorithm). */
  function settled(root: Difference): Node {
    const known = nodes.get(root);
    if (known) return known;
    const open: Node[] = [];
    const trail: { difference: Difference; node: Node }[] = [];
    const visit = (difference: Difference): Node => {
      const { findings } = difference;
      const order = visits++;
      const node: Node = { findings, below: [], order, lowest: order, isChanged: false };
      nodes.set(difference, node);
      open.push(node);
      trail.push({ difference, node });
      return node;
    };
    const leave = (node: Node) => {
      const above = trail.at(-1)?.node;
      if (above) above.lowest = Math.min(above.lowest, node.lowest);
      if (node.lowest < node.order) return;
      const recursion = open.splice(open.lastIndexOf(node));
      const isChanged = recursion.some(({ findings, below }) =>
        findings.length > 0 || below.some(({ node }) => node.isChanged)
      );
      for (const one of recursion) Object.assign(one, { recursion: node, isChanged });
    };
    const found = visit(root);
    for (let last = trail.at(-1); last; last = trail.at(-1)) {
      const { difference, node } = last;
      const next = difference.below[node.below.length];
      if (next) {
        const below = differ(next.before, next.after);
        const met = nodes.get(below);
        node.below.push({ step: next.step, node: met ?? visit(below) });
        if (met && !met.recursion) node.lowest = Math.min(node.lowest, met.order);
      } else {
        trail.pop();
        leave(node);
      }
    }
    return found;
  }
}
