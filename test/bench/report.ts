// What was measured under load, as Markdown.
import type { Contender } from "./contenders.ts";
import type { Measurement } from "./measurement.ts";
import { type Targets, type Work, works } from "./settings.ts";
import { figure, median, table } from "./table.ts";

/** One of those that were measured. */
export interface Column extends Pick<Contender, "name" | "role" | "works"> {
  /** None where it is no server. */
  runtime?: Contender["runtime"];
  samples: Map<Work, Sample[]>;
  /** Resident megabytes of the largest of its processes: before the first load, and at most. */
  memory?: { idle: number; peak: number };
}

export interface Sample extends Partial<Measurement> {
  /** Requests or transactions a second. */
  rate: number;
  /** Seconds of processor time that the server took for 1,000 requests. */
  processor?: number;
}

const runtimes = ["Node", "Deno"] as const;

type Figure = "rate" | "p50" | "p99" | "processor";

/** One of those that were measured, divided by the best of others. */
interface Comparison {
  head: string;
  column: Column;
  others: Column[];
}

export function report(columns: Column[]): string {
  const shown = columns.filter(({ works }) => !works);
  const names = shown.map(({ name }) => name);
  const busy = works.filter((work) => !isAlone(work));

  return [
    table(
      ["Requests a second", ...names],
      works.map((work) => [
        titleOf(work) + (isAlone(work) ? ", p50 / p99 in ms" : ""),
        ...shown.map((column) => cell(column, work)),
      ]),
    ),
    ratios(shown),
    table(
      ["Latency p50 / p99, ms", ...names],
      busy.map((work) => [titleOf(work), ...shown.map((column) => latencies(column, work))]),
    ),
    table(
      ["CPU seconds for 1,000 requests", ...names],
      works.map((work) => [
        titleOf(work),
        ...shown.map((column) => figure(middle(column, work, "processor"), 3)),
      ]),
    ),
    table(
      ["Resident memory, MB", ...names],
      (["idle", "peak"] as const).map((when) => [
        when === "idle" ? "before the load" : "at most",
        ...shown.map(({ memory }) => figure(memory?.[when])),
      ]),
    ),
    ...columns.filter(({ works }) => works).map((column) => aside(column, columns[0]!)),
    failures(columns),
  ].join("\n\n");
}

/** Ours with the better of its rivals on the same runtime, as the limits are, and with Postgres alone.
 * What meets its target is bold. */
function ratios(columns: Column[]): string {
  const ours = runtimes.flatMap((runtime) =>
    columns.find((column) => column.role === "ours" && column.runtime === runtime) ?? []
  );
  const limits = columns.filter(({ role }) => role === "limit");
  const postgres = columns.filter(({ runtime }) => !runtime);
  const withPeers = (column: Column): Comparison => ({
    head: `${column.name} ÷ better peer`,
    column,
    others: columns.filter(({ role, runtime }) => role === "rival" && runtime === column.runtime),
  });
  const withPostgres = (column: Column): Comparison => ({
    head: `${column.name} ÷ pgbench`,
    column,
    others: postgres,
  });
  const groups: { comparisons: Comparison[]; target?: keyof Targets }[] = [
    { comparisons: ours.map(withPeers), target: "peer" },
    { comparisons: limits.map(withPeers) },
    ...postgres.map(() => ({ comparisons: ours.map(withPostgres), target: "pgbench" as const })),
  ];

  return table(
    [
      "Ratio, bold where it meets its target",
      ...groups.flatMap(({ comparisons, target }) => [
        ...comparisons.map(({ head }) => head),
        ...(target ? ["target"] : []),
      ]),
    ],
    works.map((work) => [
      titleOf(work) + (isAlone(work) ? ", p50 / p99" : ""),
      ...groups.flatMap(({ comparisons, target }) => {
        const bound = target && work.targets?.[target];
        return [
          ...comparisons.map((comparison) => ratio(comparison, work, bound)),
          ...(target ? [boundOf(work, bound)] : []),
        ];
      }),
    ]),
  );
}

/** Of requests a second, or of latencies where there is a single connection. */
function ratio({ column, others }: Comparison, work: Work, bound?: number): string {
  const figures = isAlone(work) ? ["p50", "p99"] as const : ["rate"] as const;
  return figures
    .map((name) => {
      const best = isAlone(work) ? Math.min : Math.max;
      const value = middle(column, work, name) /
        best(...others.map((other) => middle(other, work, name)));
      const isMet = bound !== undefined && (isAlone(work) ? value <= bound : value >= bound);
      return isMet ? `**${figure(value, 2)}**` : figure(value, 2);
    })
    .filter((text) => text !== "")
    .join(" / ");
}

function boundOf(work: Work, bound?: number): string {
  return bound === undefined ? "" : `${isAlone(work) ? "≤" : "≥"} ${figure(bound, 2)}`;
}

/** What a row is about: requests a second, or latency where there is a single connection. */
function cell(column: Column, work: Work): string {
  return isAlone(work) ? latencies(column, work) : figure(middle(column, work, "rate"));
}

function latencies(column: Column, work: Work): string {
  const [p50, p99] = [middle(column, work, "p50"), middle(column, work, "p99")];
  return Number.isNaN(p50) ? "" : `${figure(p50, 2)} / ${figure(p99, 2)}`;
}

function isAlone({ connections }: Work): boolean {
  return connections === 1;
}

function titleOf({ title, connections }: Work): string {
  return `${title}, ${connections} connection${connections === 1 ? "" : "s"}`;
}

/** What one that is measured at some works alone does of what another does. */
function aside(column: Column, other: Column): string {
  const parts = column.works!.map((work) => {
    const ratio = middle(column, work, "rate") / middle(other, work, "rate");
    return `${titleOf(work)}: ${figure(ratio, 2)}`;
  });
  return `${column.name} ÷ ${other.name}: ${parts.join("; ")}.`;
}

/** Requests that failed, of all and by whom. */
export function failuresOf(
  columns: Column[],
): { name: string; requests: number; failed: number }[] {
  return columns.map(({ name, samples }) => {
    const all = [...samples.values()].flat();
    const sum = (what: "requests" | "failed") =>
      all.reduce((sum, sample) => sum + (sample[what] ?? 0), 0);
    return { name, requests: sum("requests"), failed: sum("failed") };
  });
}

function failures(columns: Column[]): string {
  const all = failuresOf(columns);
  const requests = all.reduce((sum, { requests }) => sum + requests, 0);
  const failed = all.filter(({ failed }) => failed > 0);
  if (failed.length === 0) return `None of ${figure(requests)} requests failed.`;
  return `Failed requests: ${failed.map(({ name, failed }) => `${name} ${failed}`).join(", ")}.`;
}

/** The median of what was measured; NaN where nothing was. */
function middle({ samples }: Column, work: Work, name: Figure): number {
  return median((samples.get(work) ?? []).map((sample) => sample[name] ?? NaN));
}
