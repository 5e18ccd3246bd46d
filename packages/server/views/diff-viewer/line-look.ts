import type { ParseOptions } from "sugar-high/core";
import type { Line, Row } from "./diff-rows.ts";
import { changedWords, type Part, partsOf, type Range, type Token } from "./line-parts.ts";
import { tokensOf } from "./syntax.ts";

/** How each line of a comparison looks; worked out when it comes into sight, not before. */
export class LineLook {
  readonly #tokens = new Map<Line, readonly Token[]>();
  readonly #counterparts = new Map<Line, Row>();
  readonly #changed = new Map<Line, readonly Range[]>();

  constructor(rows: readonly Row[], language: ParseOptions | undefined) {
    for (const side of ["left", "right"] as const) {
      const lines = rows.flatMap((row) => row[side] ?? []);
      const texts = lines.map(({ text }) => text);
      for (const [index, tokens] of tokensOf(texts, language).entries()) {
        this.#tokens.set(lines[index] as Line, tokens);
      }
    }
    for (const row of rows) {
      if (row.same || !row.left || !row.right) continue;
      this.#counterparts.set(row.left, row).set(row.right, row);
    }
  }

  partsOf(line: Line): Part[] {
    return partsOf(line.text, this.#tokens.get(line) ?? [], this.#changedIn(line));
  }

  #changedIn(line: Line): readonly Range[] {
    const { left, right } = this.#counterparts.get(line) ?? {};
    if (left && right && !this.#changed.has(line)) {
      const words = changedWords(left.text, right.text);
      this.#changed.set(left, words?.left ?? []).set(right, words?.right ?? []);
    }
    return this.#changed.get(line) ?? [];
  }
}
