import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

test("every changeset names packages that exist, or changesets can't be applied", async () => {
  const names = await Promise.all(
    (await readdir(`${ROOT}packages`)).map(
      async (folder) =>
        JSON.parse(await readFile(`${ROOT}packages/${folder}/package.json`, "utf8")).name,
    ),
  );
  const files = (await readdir(`${ROOT}.changeset`)).filter((file) => file.endsWith(".md"));
  for (const file of files) {
    const text = await readFile(`${ROOT}.changeset/${file}`, "utf8");
    const named = [...text.matchAll(/^"(.+)": (?:major|minor|patch)$/gm)].map(([, name]) => name);
    expect(named, file).not.toEqual([]);
    expect(names, file).toEqual(expect.arrayContaining(named));
  }
});
