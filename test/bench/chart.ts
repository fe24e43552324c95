// The ratios of the report as a picture: for each kind of work a row of dots, one for each number of
// connections, on a scale on which twice as much is as far from one as half.
import { type Column, ratioOf, worksOf } from "./report.ts";
import { CONNECTIONS, kinds } from "./settings.ts";

const [WIDTH, TOP, ROW, LEFT, RIGHT] = [720, 64, 56, 150, 30];
const TICKS = [0.5, 1, 2, 4, 8];

/** An SVG document that is legible on light and on dark paper. */
export function drawn(columns: Column[]): string {
  const height = TOP + kinds.length * ROW + 10;
  const ticks = TICKS.map((tick) => `
  <line x1="${at(tick)}" x2="${at(tick)}" y1="${TOP - 12}" y2="${height - 10}" class="${
    tick === 1 ? "even" : "tick"
  }"/>
  <text x="${at(tick)}" y="${TOP - 20}" class="middle">${
    tick === 1 ? "as fast" : `${tick} ×`
  }</text>`);
  const rows = kinds.map(({ title }, row) => {
    const y = TOP + row * ROW + ROW / 2;
    const dots = worksOf(title).map((work) => {
      const ratio = ratioOf(columns, "Node", work);
      if (!Number.isFinite(ratio)) return "";
      const isNear = work.way === "next door";
      const centre = y + (isNear ? -12 : 12);
      return `
  <g class="${isNear ? "near" : "away"}">
    <title>${title}, ${work.connections} connections, ${work.way}: ${ratio.toFixed(2)}</title>
    <circle cx="${at(ratio)}" cy="${centre}" r="${radius(work.connections)}"/>
  </g>`;
    });
    return `
  <text x="${LEFT - 14}" y="${y + 5}" class="end">${title}</text>${dots.join("")}`;
  });
  const sizes = CONNECTIONS.map((connections, place) => {
    const x = WIDTH - RIGHT - 190 + place * 52;
    return `
  <circle cx="${x}" cy="14" r="${radius(connections)}" class="size"/>
  <text x="${x + 12}" y="19">${connections}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img">
  <title>Requests a second of Relata under Node, divided by those of the better peer</title>
  <style>
    text { font: 14px system-ui, sans-serif; fill: #24292f; }
    .end { text-anchor: end; }
    .middle { text-anchor: middle; }
    .tick { stroke: #24292f; stroke-opacity: 0.2; }
    .even { stroke: #24292f; stroke-width: 1.5; }
    .near { fill: #0b66c3; fill-opacity: 0.8; }
    .away { fill: none; stroke: #b4500f; stroke-width: 2; }
    .size { fill: none; stroke: #24292f; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .tick, .even, .size { stroke: #e6edf3; }
      .near { fill: #58a6ff; }
      .away { stroke: #f0883e; }
    }
  </style>
  <g class="near"><circle cx="14" cy="14" r="6"/></g>
  <text x="26" y="19">Postgres next door</text>
  <g class="away"><circle cx="184" cy="14" r="6"/></g>
  <text x="196" y="19">1 ms away</text>
  <text x="${WIDTH - RIGHT - 300}" y="19">connections:</text>${
    [...sizes, ...ticks, ...rows].join("")
  }
</svg>
`;
}

/** Where a ratio is from left to right; what is off the scale is at its edge. */
function at(ratio: number): number {
  const [least = 1, most = 1] = [TICKS[0], TICKS.at(-1)];
  const share = Math.log(Math.min(Math.max(ratio, least), most) / least) / Math.log(most / least);
  return Math.round(LEFT + share * (WIDTH - LEFT - RIGHT));
}

/** More connections are a larger dot. */
function radius(connections: number): number {
  return 4 + Math.log2(connections) / 2;
}
