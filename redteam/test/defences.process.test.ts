import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CHANNELS } from "../channels/channel-table.ts";
import { CHECKS } from "../checks/check-table.ts";
import { DEFENCES } from "../defences.ts";

const ids = [...CHANNELS, ...CHECKS].map(({ id }) => id);

test("defences have names of their own", () => {
  const names = DEFENCES.map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test.each(DEFENCES)("each edit for $name applies once, and a check notices the loss", (one) => {
  const { host = [], sandbox = [] } = one.weakening;
  for (const { file, from } of [...host, ...sandbox]) {
    const source = readFileSync(new URL(`../../packages/${file}`, import.meta.url), "utf8");
    expect(source.split(from), `${file}: ${from}`).toHaveLength(2);
  }
  expect(one.noticedBy.length).toBeGreaterThan(0);
  for (const id of one.noticedBy) expect(ids).toContain(id);
});
