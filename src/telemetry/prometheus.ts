// Counters, histograms, and the text format of Prometheus, version 0.0.4. Written by hand because it is
// little code, and a client library takes more time for each count.

export const EXPOSITION_TYPE = "text/plain; version=0.0.4";

type Labels = Record<string, string>;

interface Sample {
  /** Appended to the name of the family. */
  suffix?: string;
  labels?: Labels;
  value: number;
}

/** A metric, with a name and its samples. */
export interface Family {
  name: string;
  type: "counter" | "gauge" | "histogram";
  help: string;
  /** The current values. */
  samples(): Sample[];
}

type FamilyHead = Pick<Family, "name" | "help">;

/** A count for some values of labels, and the branches for the next label. A tree, because a flat map
 * would need a text made of all values for each count. */
class Branch {
  count = 0;
  readonly branches = new Map<string, Branch>();

  under(value: string): Branch {
    let branch = this.branches.get(value);
    if (!branch) this.branches.set(value, branch = new Branch());
    return branch;
  }

  /** The samples of this branch, given the labels so far and the names of the next ones. */
  samples([name, ...names]: string[], labels: Labels): Sample[] {
    if (name === undefined) return [{ labels, value: this.count }];
    return [...this.branches].flatMap(([value, branch]) =>
      branch.samples(names, { ...labels, [name]: value })
    );
  }
}

/** A counter; the values of the labels are given in their order. */
export function counter(
  { labels: names, ...named }: FamilyHead & { labels: string[] },
): Family & { increment(...values: string[]): void } {
  const root = new Branch();
  return {
    ...named,
    type: "counter",
    increment(...values) {
      let branch = root;
      for (const value of values) branch = branch.under(value);
      branch.count++;
    },
    samples: () => root.samples(names, {}),
  };
}

/** A histogram with one label: for each bound, how often a value was no greater. */
export function histogram(
  { label, bounds, ...named }: FamilyHead & { label: string; bounds: number[] },
): Family & { observe(labelValue: string, value: number): void } {
  const all = new Map<string, { counts: number[]; sum: number }>();
  return {
    ...named,
    type: "histogram",
    observe(labelValue, value) {
      let series = all.get(labelValue);
      if (!series) {
        all.set(labelValue, series = { counts: Array(bounds.length + 1).fill(0), sum: 0 });
      }
      const index = bounds.findIndex((bound) => value <= bound);
      series.counts[index < 0 ? bounds.length : index]!++;
      series.sum += value;
    },
    samples: () =>
      [...all].flatMap(([labelValue, { counts, sum }]) => {
        const labels = { [label]: labelValue };
        let value = 0;
        const buckets = [...bounds.map(String), "+Inf"].map((le, index) => {
          value += counts[index]!;
          return { suffix: "_bucket", labels: { ...labels, le }, value };
        });
        return [
          ...buckets,
          { suffix: "_sum", labels, value: sum },
          { suffix: "_count", labels, value },
        ];
      }),
  };
}

/** Families as text. */
export function exposition(families: Family[]): string {
  return families.map(({ name, type, help, samples }) => {
    const head = `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n`;
    const lines = samples().map(({ suffix = "", labels = {}, value }) =>
      `${name}${suffix}${braced(labels)} ${value}\n`
    );
    return head + lines.join("");
  }).join("");
}

function braced(labels: Labels): string {
  const pairs = Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`);
  return pairs.length === 0 ? "" : `{${pairs.join()}}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
