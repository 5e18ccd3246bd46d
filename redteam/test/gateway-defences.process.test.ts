import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { GATEWAY_ATTACK_IDS } from "../gateway/attacks/index.ts";
import { GATEWAY_DEFENCES } from "../gateway/defences/index.ts";

const root = new URL("../../", import.meta.url);

test("gateway defences have names of their own", () => {
  const names = GATEWAY_DEFENCES.map(({ name }) => name);
  expect(
    names.filter((name) => !/^(gateway|cli|sandbox|server|host)-[a-z0-9-]+$/.test(name)),
  ).toEqual([]);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test("each edit of a gateway defence applies to exactly one place of its file", () => {
  const misplaced = GATEWAY_DEFENCES.flatMap(({ name, edits }) =>
    edits
      .filter(({ file, from }) => {
        const url = new URL(`packages/${file}`, root);
        return !existsSync(url) || readFileSync(url, "utf8").split(from).length !== 2;
      })
      .map(({ file, from }) => `${name}: ${file}: ${from}`),
  );
  expect(misplaced).toEqual([]);
  expect(GATEWAY_DEFENCES.filter(({ edits }) => edits.length === 0)).toEqual([]);
});

test("each gateway defence names existing tests or attacks that notice its loss", () => {
  const unknown = GATEWAY_DEFENCES.flatMap(({ name, noticedBy }) =>
    (noticedBy.length === 0 ? ["nobody"] : noticedBy)
      .filter((one) => !isKnown(one))
      .map((one) => `${name}: ${one}`),
  );
  expect(unknown).toEqual([]);
});

/** True for the id of an attack, and for a test file that holds the words after `#`. */
function isKnown(noticer: string): boolean {
  const [path = "", title] = noticer.split("#");
  if (title === undefined) return GATEWAY_ATTACK_IDS.includes(path);
  const url = new URL(path, root);
  return existsSync(url) && title !== "" && hasTitle(url, title);
}

/** Also finds titles of a contract suite next to the file, and of `test.each`, whose rows have a part of them. */
function hasTitle(url: URL, title: string): boolean {
  const text = readFileSync(url, "utf8");
  if (text.includes(title)) return true;
  const suites = [...text.matchAll(/from "(\.\/[\w-]+-contract\.ts)"/g)];
  if (suites.some(([, suite = ""]) => hasTitle(new URL(suite, url), title))) return true;
  return [...text.matchAll(/\]\)\(\s*"([^"]*)%s([^"]*)"/g)].some(([, before = "", after = ""]) => {
    const isOfRow = title.startsWith(before) && title.endsWith(after);
    const row = title.slice(before.length, title.length - after.length);
    return isOfRow && text.includes(`"${row}"`);
  });
}
