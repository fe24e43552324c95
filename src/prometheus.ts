// What is counted, and the text that Prometheus reads it as (its text format, version 0.0.4). By hand,
// for that is two functions: a client library does the same with more to look up for each count.

export const MEDIA_TYPE = "text/plain; version=0.0.4";

type Labels = Record<string, string>;

interface Sample {
  /** What the family's name goes on with. */
  suffix?: string;
  labels?: Labels;
  value: number;
}

/** What is told under one name. */
export interface Family {
  name: string;
  type: "counter" | "gauge" | "histogram";
  help: string;
  /** The values of this moment. */
  samples(): Sample[];
}

type Named = Pick<Family, "name" | "help">;

/** Counts what happens, apart by the values of its labels, which are given in their order. */
export function counter(
  { labels: names, ...named }: Named & { labels: string[] },
): Family & { increment(...values: string[]): void } {
  const counts = new Map<string, Required<Omit<Sample, "suffix">>>();
  return {
    ...named,
    type: "counter",
    increment(...values) {
      const key = values.join();
      let count = counts.get(key);
      if (!count) {
        const labels = Object.fromEntries(names.map((name, place) => [name, values[place]!]));
        counts.set(key, count = { labels, value: 0 });
      }
      count.value++;
    },
    samples: () => [...counts.values()],
  };
}

/** Counts how often a value was at most each bound, apart by the value of one label. */
export function histogram(
  { label, bounds, ...named }: Named & { label: string; bounds: number[] },
): Family & { observe(of: string, value: number): void } {
  const all = new Map<string, { counts: number[]; sum: number }>();
  return {
    ...named,
    type: "histogram",
    observe(of, value) {
      let one = all.get(of);
      if (!one) all.set(of, one = { counts: Array(bounds.length + 1).fill(0), sum: 0 });
      const place = bounds.findIndex((bound) => value <= bound);
      one.counts[place < 0 ? bounds.length : place]!++;
      one.sum += value;
    },
    samples: () =>
      [...all].flatMap(([of, { counts, sum }]) => {
        const labels = { [label]: of };
        let value = 0;
        const buckets = [...bounds.map(String), "+Inf"].map((le, place) => {
          value += counts[place]!;
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
