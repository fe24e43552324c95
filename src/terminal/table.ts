// Tables that commands print for people.

/** The rows as aligned text; each has as many cells as the first one. */
export function table(rows: string[][]): string {
  const columns = rows[0]!.map((_, column) => column).slice(0, -1);
  const widths = columns.map((column) =>
    rows.reduce((width, row) => Math.max(width, row[column]!.length), 0)
  );
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd())
    .join("\n");
}
