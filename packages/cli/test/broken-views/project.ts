// A project with every broken view, built as its author would, and a server for it.

import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import react from "@vitejs/plugin-react";
import vue from "@vitejs/plugin-vue";
import { buildViews } from "@vitrine/server/vite";
import { defaultClientConditions } from "vite";

/** A view in a project, and what its server declares for it. */
export interface ProjectView {
  name: string;
  /** By path below the view's folder. */
  files: Record<string, string>;
  /** Merged into `_meta.ui` of the view's resource. */
  ui?: object;
  /** Tools that the view calls. */
  tools?: readonly object[];
}

/** A project on disk. */
export interface BrokenProject {
  folder: string;
  /** The words that start its server on one kind of build. */
  command(mode: Mode): [program: string, ...args: string[]];
  remove(): Promise<void>;
}

/** How the project is built, and the result of each of its tools. */
export interface ProjectOptions {
  modes?: readonly Mode[];
  result?: object;
}

type Mode = "development" | "production";

const MODULES = fileURLToPath(new URL("../../../../node_modules", import.meta.url));
const NEEDED = [
  "react",
  "react-dom",
  "scheduler",
  "vue",
  "@vue",
  "svelte",
  "@vitrine",
  "esm-env",
  "clsx",
];

// No SDK: a server that answers in a millisecond.
const SERVER = `import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
const [names, dist] = [process.argv[2].split(","), process.argv[3]];
const mimeType = "text/html;profile=mcp-app";
const uri = (name) => "ui://orders/" + name;
const served = JSON.parse(readFileSync(new URL("served.json", import.meta.url), "utf8"));
const more = names.flatMap((name) => served[name]?.tools ?? []);
const uiOf = (asked) => served[asked.split("/").at(-1)]?.ui ?? {};
const methods = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {}, resources: {} }, serverInfo: { name: "orders", version: "1.0.0" } }),
  ping: () => ({}),
  "tools/list": () => ({ tools: names.map((name) => ({ name, description: name, inputSchema: { type: "object" }, annotations: { readOnlyHint: true }, _meta: { ui: { resourceUri: uri(name) } } })).concat(more) }),
  "tools/call": () => served.result ?? { content: [{ type: "text", text: "Two orders" }], structuredContent: { count: 2 } },
  "resources/list": () => ({ resources: names.map((name) => ({ uri: uri(name), name, mimeType })) }),
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "resources/read": ({ uri: asked }) => ({ contents: [{ uri: asked, mimeType, _meta: { ui: { prefersBorder: true, ...uiOf(asked) } }, text: readFileSync(dist + "/ui/" + asked.split("/").at(-1) + "/index.html", "utf8") }] }),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const body = methods[method] ? { result: methods[method](params) } : { error: { code: -32601, message: "Method not found" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...body }) + "\\n");
});
`;

/** Writes and builds it, for each kind of build. */
export async function makeBrokenProject(
  views: readonly ProjectView[],
  { modes = ["development", "production"], result }: ProjectOptions = {},
): Promise<BrokenProject> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-broken-"));
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  await write("package.json", '{ "name": "orders", "type": "module" }');
  await write("server.mjs", SERVER);
  const served = Object.fromEntries(views.map(({ name, ui, tools }) => [name, { ui, tools }]));
  await write("served.json", JSON.stringify({ ...served, result }));
  for (const { name, files } of views)
    for (const [path, text] of Object.entries(files)) await write(`views/${name}/${path}`, text);
  await mkdir(join(folder, "node_modules"));
  for (const name of NEEDED)
    await symlink(join(MODULES, name), join(folder, "node_modules", name)).catch(() => {});
  const before = process.env.NODE_ENV;
  for (const mode of modes) {
    // Vite reads it from here.
    process.env.NODE_ENV = mode;
    await buildViews(
      { budget: false },
      {
        root: folder,
        mode,
        logLevel: "silent",
        plugins: [react(), vue(), svelte({ configFile: false })],
        resolve: { conditions: ["@vitrine/source", ...defaultClientConditions] },
        build: { outDir: mode, emptyOutDir: true },
      },
    );
  }
  if (before === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = before;
  const names = views.map(({ name }) => name).join(",");
  return {
    folder,
    command: (mode) => [process.execPath, join(folder, "server.mjs"), names, join(folder, mode)],
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
