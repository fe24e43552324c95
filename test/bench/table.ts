// Figures as Markdown.

/** A table whose first column is text and whose others are figures. */
export function table(head: string[], rows: string[][]): string {
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => row[column]!.length), 3)
  );
  const line = (row: string[]) =>
    `| ${
      row.map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)
      ).join(" | ")
    } |`;
  const rule = widths.map((width, column) =>
    column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`
  );
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

export function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
}

/** A figure with so many decimals; nothing where there is none. */
export function figure(value: number | undefined, decimals = 0): string {
  if (value === undefined || !Number.isFinite(value)) return "";
  return value.toLocaleString("en", {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}
