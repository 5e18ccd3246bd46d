import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CHECKS } from "../checks/check-table.ts";
import { HOST_DEFENCES } from "../host-defences.ts";

const ids = CHECKS.map(({ id }) => id);

test.each(HOST_DEFENCES)(
  "the host still has what $name takes away, and somebody notices",
  (one) => {
    for (const { file, from } of one.weakening.host) {
      const source = readFileSync(new URL(`../../packages/${file}`, import.meta.url), "utf8");
      expect(source.split(from), `${file}: ${from}`).toHaveLength(2);
    }
    expect(one.noticedBy.length).toBeGreaterThan(0);
    for (const id of one.noticedBy) expect(ids).toContain(id);
  },
);
