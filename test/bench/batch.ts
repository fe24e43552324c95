// What 5,000 rows cost in five requests, and in as many requests as rows, one after another, of each form of
// this server.
import { serve } from "../program.ts";
import { fill } from "./database.ts";
import type { Section } from "./section.ts";
import { ROWS } from "./settings.ts";
import { figure, median, table } from "./table.ts";

const [COUNT, REQUESTS] = [5_000, 5];

/** The most that five requests are to take of what 5,000 take. */
const TARGET = 0.2;

export const batch: Section = {
  meaning: "what many rows cost in one request each, and in few",
  async run({ url, sql, forms, rounds, progress }) {
    const rows = [];
    for (const { name, command } of forms) {
      progress(name);
      const [alone, together]: [number[], number[]] = [[], []];
      for (let round = 0; round < rounds; round++) {
        await fill(sql, ROWS);
        const server = await serve({ DATABASE_URL: url }, { command });
        const post = async (path: string, body: unknown) => {
          const response = await fetch(`${server.url}${path}`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(body),
          });
          await response.text();
          if (response.status !== 201) throw new Error(`${path} answered ${response.status}`);
        };
        alone.push(
          await seconds(async () => {
            for (let n = 0; n < COUNT; n++) await post("/api/foos/", foo(n));
          }),
        );
        const foos = Array.from({ length: COUNT / REQUESTS }, (_, n) => foo(n));
        together.push(
          await seconds(async () => {
            for (let n = 0; n < REQUESTS; n++) await post("/api/foos/batch/", foos);
          }),
        );
        await server.kill("SIGTERM");
      }
      const ratio = median(together) / median(alone);
      rows.push([name, figure(median(alone), 2), figure(median(together), 2), figure(ratio, 3)]);
    }
    const count = figure(COUNT);
    return table(
      [`${count} foos`, `one each, s`, `in ${REQUESTS} requests, s`, `ratio (at most ${TARGET})`],
      rows,
    );
  },
};

function foo(n: number): object {
  return { name: "Foo one", bar: 1 + n % ROWS.bars };
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}
