// The agent is for development: neither the sandbox nor a built view contains any of it.

import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createSandbox } from "@vitrine/sandbox";
import { expect, test, vi } from "vitest";
import { frameAgent } from "../../src/frame/frame-agent.ts";
import { makeBrokenProject } from "../broken-views/project.ts";
import { VANILLA_VIEWS } from "../broken-views/vanilla-views.ts";

vi.setConfig({ testTimeout: 60_000 });

const TRACES = /vitrine-agent|frameAgent|sourceMappingURL/;
const LINES = String(frameAgent)
  .split("\n")
  .map((line) => line.trim())
  .filter((line) => line.length > 40);

test("a normal sandbox serves a view without the agent", async () => {
  const sandbox = createSandbox({
    origins: {
      tier: "localhost",
      port: 4000,
      hosts: ["http://localhost:3000"],
      key: "k".repeat(43),
    },
  });
  const html = "<!doctype html><html><head><script>start()</script></head></html>";
  const registered = await sandbox.register({ server: "s", resource: "ui://a/b", html });
  const load = async (url: string): Promise<string> => {
    const headers = { "sec-fetch-dest": "iframe", "sec-fetch-mode": "navigate" };
    return (await sandbox.fetch(new Request(url, { headers }))).text();
  };
  const relay = await load(registered.proxyUrl);
  const body = relay + (await load(/http:[^"&<\\]+\/v\/[^"&<\\]+/.exec(relay)?.[0] ?? ""));
  expect(body).toContain("start()");
  expect(body).not.toMatch(TRACES);
  for (const line of LINES) expect(body).not.toContain(line);
  sandbox.close();
});

test("no package that products install mentions the agent", async () => {
  const packages = ["sandbox", "view", "host", "server", "protocol", "chat", "gateway"];
  for (const name of packages) {
    const folder = fileURLToPath(new URL(`../../../${name}/src/`, import.meta.url));
    for (const file of await readdir(folder, { recursive: true })) {
      if (!/\.[cm]?[jt]sx?$/.test(file)) continue;
      expect(await readFile(`${folder}${file}`, "utf8"), file).not.toMatch(
        /vitrine-agent|frame-agent|frameAgent/,
      );
    }
  }
});

test("a built view contains neither the agent nor a source map", async () => {
  const views = VANILLA_VIEWS.slice(0, 1);
  const project = await makeBrokenProject(views, { modes: ["production"] });
  const html = await readFile(
    `${project.folder}/production/ui/${views[0]?.name}/index.html`,
    "utf8",
  );
  expect(html).not.toMatch(TRACES);
  for (const line of LINES) expect(html).not.toContain(line);
  expect(await readdir(`${project.folder}/production/ui/${views[0]?.name}`)).toEqual([
    "index.html",
  ]);
  await project.remove();
});
