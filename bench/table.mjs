// Plain text tables: the first column to the left, figures to the right.

/** Lays out rows of cells under their heads. */
export function toTable(heads, rows) {
  const lines = [heads, ...rows];
  const widths = heads.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const layOut = (line) =>
    line
      .map((cell, column) => (column ? cell.padStart(widths[column]) : cell.padEnd(widths[0])))
      .join("  ")
      .trimEnd();
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  return [layOut(heads), rule, ...rows.map(layOut)].join("\n");
}

/** A whole number with its thousands apart, or a dash for none. */
export function toCount(value) {
  return value === undefined ? "–" : Math.round(value).toLocaleString("en-US");
}

/** A number with so many decimals, or a dash for none. */
export function toDecimal(value, decimals = 2) {
  return Number.isFinite(value) ? value.toFixed(decimals) : "–";
}
