// What a longer header costs, under Node and without a socket: ten times as much where it is ten times
// as long; a hundred times as much where it is read by the square.
import { openPostgres } from "../house.ts";
import { longHeaders, requests, titleOf } from "../headers.ts";
import { serviceOn } from "../service.ts";
import type { Section } from "./section.ts";
import { figure, median, table } from "./table.ts";

const [SHORT, LONG] = [100_000, 1_000_000];

export const headers: Section = {
  meaning: "what a longer header costs",
  async run({ url, rounds }) {
    const database = openPostgres(url, { sessions: 1 });
    const { send } = serviceOn(database, { corsOrigins: ["https://app.example.org"] });
    async function time([name, value]: [string, string]): Promise<number> {
      const times = [];
      for (let round = 0; round < rounds; round++) {
        const began = performance.now();
        for (const [request, body] of requests) await send(request, body, { [name]: value });
        times.push(performance.now() - began);
      }
      return median(times);
    }
    const long = longHeaders(LONG);
    const rows = [];
    for (const [place, header] of longHeaders(SHORT).entries()) {
      await time(header); // so that none is measured cold
      const [few, many] = [await time(header), await time(long[place]!)];
      rows.push([`\`${titleOf(header).trim()}\``, figure(few, 1), figure(many, 1)]);
    }
    await database.close();
    return table(["Three requests with a header", ...[SHORT, LONG].map(head)], rows);
  },
};

function head(length: number): string {
  return `of ${figure(length)} characters, ms`;
}
