import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createScenarioFiles } from "../../src/dev/scenario-files.ts";

const story = { name: "Two orders", tool: "orders", input: { page: 1 }, result: { content: [] } };

let outside: string;
let project: string;
beforeEach(async () => {
  outside = await mkdtemp(join(tmpdir(), "vitrine-scenarios-"));
  project = join(outside, "project");
  await mkdir(project);
});
afterEach(() => rm(outside, { recursive: true, force: true }));

describe("scenario files", () => {
  it("are saved, listed and read", async () => {
    const files = createScenarioFiles(project);
    expect(await files.list()).toEqual([]);
    expect(await files.save(story)).toBe("two-orders.scenario.json");
    expect(await files.save({ ...story, cancelled: undefined })).toBe("two-orders.scenario.json");
    await writeFile(join(project, "scenarios", "broken.scenario.json"), "{");
    await writeFile(join(project, "scenarios", "notes.txt"), "mine");
    expect(await files.list()).toEqual([
      { file: "two-orders.scenario.json", name: "Two orders", tool: "orders" },
    ]);
    expect(await files.read("two-orders.scenario.json")).toEqual(story);
    const text = await readFile(join(project, "scenarios", "two-orders.scenario.json"), "utf8");
    expect(JSON.parse(text)).toMatchObject({ vitrine: "scenario", version: 1 });
  });

  it.each(["../../escape", "/etc/passwd", "a/b", "..", ".", "con\u002f..", "%2e%2e%2f", "日本"])(
    "stay in their folder, whatever the name is: %s",
    async (name) => {
      const file = await createScenarioFiles(project).save({ ...story, name });
      expect(file).toMatch(/^[a-z0-9-]+\.scenario\.json$/);
      expect(await readdir(outside)).toEqual(["project"]);
      expect(await readdir(project)).toEqual(["scenarios"]);
      expect(await readdir(join(project, "scenarios"))).toEqual([file]);
    },
  );

  it.each(["../secret.scenario.json", "/secret.scenario.json", "a/../secret.scenario.json", ""])(
    "outside of their folder aren't read: %s",
    async (file) => {
      await writeFile(join(project, "secret.scenario.json"), JSON.stringify({ ...story }));
      await mkdir(join(project, "scenarios"));
      await expect(createScenarioFiles(project).read(file)).rejects.toThrow("doesn't exist");
    },
  );

  it("that are links aren't followed, neither to read nor to write", async () => {
    const secret = join(outside, "secret.json");
    const text = JSON.stringify({ vitrine: "scenario", version: 1, ...story });
    await writeFile(secret, text);
    await mkdir(join(project, "scenarios"));
    await symlink(secret, join(project, "scenarios", "two-orders.scenario.json"));
    const files = createScenarioFiles(project);
    expect(await files.list()).toEqual([]);
    await expect(files.read("two-orders.scenario.json")).rejects.toThrow();
    await files.save({ ...story, input: { page: 2 } });
    expect(await readFile(secret, "utf8")).toBe(text);
    expect(await files.read("two-orders.scenario.json")).toMatchObject({ input: { page: 2 } });
  });

  it("aren't written through a folder that is a link", async () => {
    await symlink(outside, join(project, "scenarios"));
    const files = createScenarioFiles(project);
    await expect(files.save(story)).rejects.toThrow("isn't a folder of the project");
    await expect(files.list()).rejects.toThrow("isn't a folder of the project");
    expect(await readdir(outside)).toEqual(["project"]);
  });

  it("that are invalid or too large aren't written", async () => {
    const files = createScenarioFiles(project);
    await expect(files.save({ name: "x" })).rejects.toThrow('"tool"');
    const text = "x".repeat(5 * 2 ** 20);
    const result = { content: [{ type: "text", text }] };
    await expect(files.save({ ...story, result })).rejects.toThrow();
    expect(await readdir(project)).toEqual([]);
  });
});
