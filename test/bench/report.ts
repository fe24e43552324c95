// What was measured under load, as Markdown.
import type { Contender } from "./contenders.ts";
import type { Measurement } from "./measurement.ts";
import { CONNECTIONS, type Kind, kinds, WAYS, type Work, works } from "./settings.ts";
import { figure, median, table } from "./table.ts";

/** One of those that were measured. */
export interface Column extends Pick<Contender, "name" | "role"> {
  /** None where it is neither under Node nor under Deno. */
  runtime?: Contender["runtime"];
  samples: Map<Work, Sample[]>;
  /** Resident megabytes of all its processes: before the first load, and at most. */
  memory?: { idle: number; peak: number };
}

export interface Sample extends Partial<Measurement> {
  /** Requests or transactions a second. */
  rate: number;
  /** Seconds of processor time that the server took for 1,000 requests. */
  processor?: number;
}

export type Runtime = "Node" | "Deno";

const runtimes: Runtime[] = ["Node", "Deno"];

export function report(columns: Column[]): string {
  const names = columns.map(({ name }) => name);
  const each = (cell: (column: Column, work: Work) => string) =>
    works.map((work) => [titleOf(work), ...columns.map((column) => cell(column, work))]);

  return [
    ...runtimes.map((runtime) => comparison(columns, runtime)),
    ...runtimes.map((runtime) => overview(columns, runtime)),
    control(columns),
    table(["Requests a second", ...names], each((column, work) => rate(column, work))),
    table(["Latency p50 / p99, ms", ...names], each(latencies)),
    table(
      ["CPU seconds for 1,000 requests", ...names],
      each((column, work) => figure(middle(column, work, "processor"), 3)),
    ),
    table(
      ["Resident memory, MB", ...names],
      (["idle", "peak"] as const).map((when) => [
        when === "idle" ? "before the load" : "at most",
        ...columns.map(({ memory }) => figure(memory?.[when])),
      ]),
    ),
    failures(columns),
  ].join("\n\n");
}

/** Ours with the better of its peers on the same runtime, one ratio a row. */
function comparison(columns: Column[], runtime: Runtime): string {
  return table(
    [`Requests a second, ${runtime}`, "Relata", "better peer", "ratio", "target"],
    works.map((work) => [
      titleOf(work),
      figure(best(columns, "ours", runtime, work)),
      figure(best(columns, "peer", runtime, work)),
      judged(work, ratioOf(columns, runtime, work)),
      `≥ ${figure(work.target, 1)}`,
    ]),
  );
}

/** The same ratios, one kind of work a row. */
function overview(columns: Column[], runtime: Runtime): string {
  const head = WAYS.flatMap((way) => CONNECTIONS.map((connections) => `${connections}, ${way}`));
  return table(
    [`Relata ÷ better peer, ${runtime}`, ...head],
    kinds.map(({ title }) => [
      title,
      ...worksOf(title).map((work) => judged(work, ratioOf(columns, runtime, work))),
    ]),
  );
}

/** Ours without its log with the better of the bare peers. */
function control(columns: Column[]): string {
  const isMeasured = (work: Work) =>
    runtimes.some((runtime) => Number.isFinite(best(columns, "bare", runtime, work)));
  return table(
    ["Relata without log ÷ better bare peer", ...runtimes],
    works.filter(isMeasured).map((work) => [
      titleOf(work),
      ...runtimes.map((runtime) => {
        const ours = best(columns, "quiet", runtime, work);
        return figure(ours / best(columns, "bare", runtime, work), 2);
      }),
    ]),
  );
}

/** The works of a kind, in the order of the columns of the overview. */
export function worksOf(title: Kind["title"]): Work[] {
  return works.filter((work) => work.title === title);
}

/** Our rate divided by that of the better peer on the same runtime. */
export function ratioOf(columns: Column[], runtime: Runtime, work: Work): number {
  return best(columns, "ours", runtime, work) / best(columns, "peer", runtime, work);
}

/** The best rate of those in a role; NaN where nothing was measured. */
function best(columns: Column[], role: Column["role"], runtime: Runtime, work: Work): number {
  const rates = columns
    .filter((column) => column.role === role && column.runtime === runtime)
    .map((column) => middle(column, work, "rate"));
  return rates.length > 0 ? Math.max(...rates) : NaN;
}

/** Bold where it misses its target. */
function judged({ target }: Work, ratio: number): string {
  return ratio < target ? `**${figure(ratio, 2)}**` : figure(ratio, 2);
}

function titleOf({ title, connections, way }: Work): string {
  return `${title}, ${connections}${way === "next door" ? "" : `, ${way}`}`;
}

function rate(column: Column, work: Work): string {
  return figure(middle(column, work, "rate"));
}

function latencies(column: Column, work: Work): string {
  const [p50, p99] = [middle(column, work, "p50"), middle(column, work, "p99")];
  return Number.isNaN(p50) ? "" : `${figure(p50, 2)} / ${figure(p99, 2)}`;
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
function middle(
  { samples }: Column,
  work: Work,
  name: "rate" | "p50" | "p99" | "processor",
): number {
  return median((samples.get(work) ?? []).map((sample) => sample[name] ?? NaN));
}
