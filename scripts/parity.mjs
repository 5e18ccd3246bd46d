// Writes docs/parity.md: every public member of the official SDKs of View and Host compared with ours. The official list
// is read from its published declarations and ours from the sources, so neither can go stale; what
// is not the same needs a reason in test/parity/differences.json. `--check` writes nothing.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compare } from "../test/parity/comparison.mjs";
import {
  exportsOf,
  membersOf,
  membersOfType,
  readDeclarations,
} from "../test/parity/declarations.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const official = join(root, "node_modules/ext-apps-v2");
const page = join(root, "docs/parity.md");

/** The compared names: for each heading the official names and ours. */
function readSurfaces() {
  const theirs = readDeclarations(
    join(official, "dist/src"),
    join(root, "node_modules/@modelcontextprotocol/client/dist"),
  );
  const emitted = emitDeclarations();
  const all = readDeclarations(emitted);
  rmSync(emitted, { recursive: true });
  // Both packages have a PostMessageTransport, for example.
  const except = (name) =>
    new Map([...all].filter(([path]) => !path.startsWith(join(emitted, name))));
  const ours = except("host");
  const hosts = except("view");
  const members = (name, ourName = name) => [membersOf(theirs, name), membersOf(ours, ourName)];
  const request = (files, context) =>
    membersOfType(
      files,
      membersOf(files, context)
        .get("mcpReq")
        .replace(/^\??: /, ""),
    );
  const theirMain = exportsOf(theirs, join(official, "dist/src/app.d.ts"));
  const ourMain = exportsOf(ours, join(emitted, "view/src/index.d.ts"));
  const theirReact = exportsOf(theirs, join(official, "dist/src/react/index.d.ts"));
  const ourReact = exportsOf(ours, join(emitted, "view/src/react.d.ts"));
  // Both React entries pass on the main one, of which ours may lack what is listed as absent there.
  const withheld = without(ourMain, ourReact);
  if (withheld.size > 0) throw new Error(`./react withholds ${[...withheld.keys()].join(", ")}`);
  const bridge = (name, ourName = name) => [membersOf(theirs, name), membersOf(hosts, ourName)];
  const view = {
    App: members("App"),
    AppOptions: members("AppOptions"),
    RequestOptions: members("RequestOptions"),
    RegisteredAppTool: members("RegisteredAppTool"),
    PostMessageTransport: members("PostMessageTransport"),
    "Handler context, `extra`": members("BaseContext", "RequestHandlerExtra"),
    "Handler context, `extra.mcpReq`": [
      request(theirs, "BaseContext"),
      request(ours, "RequestHandlerExtra"),
    ],
    "Exports of the main entry": [theirMain, ourMain],
    "Exports of the React entry": [without(theirReact, theirMain), ourReact],
    UseAppOptions: members("UseAppOptions"),
    AppState: members("AppState"),
  };
  const host = {
    AppBridge: bridge("AppBridge"),
    "Options of `AppBridge`": bridge("HostOptions", "AppBridgeOptions"),
    AppBridgeEventMap: bridge("AppBridgeEventMap"),
    "Exports of the bridge's entry": [
      exportsOf(theirs, join(official, "dist/src/app-bridge.d.ts")),
      exportsOf(hosts, join(emitted, "host/src/index.d.ts")),
    ],
  };
  return { view, host };
}

function without(names, others) {
  return new Map([...names].filter(([name]) => !others.has(name)));
}

/** Emits our declarations without checking them, so that both sides are read in one form. */
function emitDeclarations() {
  // One of its own for each run: two may run at once.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-parity-")));
  const config = {
    extends: join(root, "tsconfig.base.json"),
    compilerOptions: {
      declaration: true,
      emitDeclarationOnly: true,
      noCheck: true,
      // A package reached through node_modules is sometimes taken for a library and not emitted.
      noResolve: true,
      lib: ["es2023", "dom", "dom.iterable"],
      rootDir: join(root, "packages"),
      outDir: folder,
    },
    include: ["protocol", "view", "host"].map((name) => join(root, "packages", name, "src")),
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [compiler, "-p", folder], { stdio: "inherit" });
  return folder;
}

function renderTable(heading, rows) {
  const title = /[ `]/.test(heading) ? heading : `\`${heading}\``;
  const lines = rows.map(({ name, status, reason, count }) => {
    const label = name.includes("*") ? `\`${name}\` (${count})` : `\`${name}\``;
    return `| ${label} | ${status} | ${reason} |`;
  });
  return `## ${title}\n\n| name | status | why |\n|---|---|---|\n${lines.join("\n")}\n`;
}

/** How many names have each status. */
function counter(tables) {
  const all = tables.flatMap(({ rows }) => rows);
  return (status) => all.reduce((sum, row) => sum + (row.status === status ? row.count : 0), 0);
}

function renderHabits(behaviour, version) {
  const habits = behaviour.map(({ there, here }) => `| ${there} | ${here} |`).join("\n");
  return `| official SDK ${version} | Vitrine |\n|---|---|\n${habits}\n`;
}

function renderTables(tables) {
  return tables.map(({ heading, rows }) => renderTable(heading, rows)).join("\n");
}

function renderPage({ view, host }, { behaviour, bridgeBehaviour }, version) {
  const count = counter(view);
  const countHost = counter(host);
  return `<!-- Written by scripts/parity.mjs from test/parity/differences.json. Do not edit. -->

# Parity with the official SDK

The first part compares the SDK for Views, the [second](#appbridge) the one for Hosts.

\`@vitrine/view\` compared with \`@modelcontextprotocol/ext-apps\` ${version}, name by name: **${count("same")} the same,
${count("wider")} wider, ${count("differs")} that differ, ${count("absent")} absent.** The names are read from the published declarations and from our
sources; the compiler compares the signatures (\`test/parity/signatures.ts\`); a page in each of
\`examples/ported-vanilla\` and \`examples/ported-react\` runs with both SDKs under the official bridge
and must say the same to the Host and show the same to the user.

- **same**: takes what the official one takes, gives what it gives.
- **wider**: that, and more.
- **differs**: the same name, with a difference that a page can notice.
- **absent**: the reason names the replacement.

## Behaviour

What a page or a Host can notice although the names agree.

${renderHabits(behaviour, version)}
${renderTables(view)}
# AppBridge

\`AppBridge\` of \`@vitrine/host\` compared with the official one, name by name: **${countHost("same")} the same, ${countHost("wider")} wider,
${countHost("differs")} that differ, ${countHost("absent")} absent.** Views of both SDKs run under it (\`packages/host/test/interop\`). A new product uses
\`createHost\`, which contains it.

## Behaviour of \`AppBridge\`

${renderHabits(bridgeBehaviour, version)}
${renderTables(host)}`;
}

function main([mode]) {
  const differences = JSON.parse(readFileSync(join(root, "test/parity/differences.json"), "utf8"));
  const { behaviour, bridgeBehaviour, ...listed } = differences;
  const { version } = JSON.parse(readFileSync(join(official, "package.json"), "utf8"));
  const surfaces = readSurfaces();
  const tablesOf = (part) =>
    Object.entries(part).map(([heading, names]) => ({
      heading,
      ...compare(heading, names, listed[heading]),
    }));
  const tables = { view: tablesOf(surfaces.view), host: tablesOf(surfaces.host) };
  const complaints = [...tables.view, ...tables.host].flatMap((table) => table.complaints);
  for (const heading of Object.keys(listed)) {
    if (!surfaces.view[heading] && !surfaces.host[heading])
      complaints.push(`Nothing is compared under "${heading}".`);
  }
  const text = renderPage(tables, { behaviour, bridgeBehaviour }, version);
  if (mode !== "--check") writeFileSync(page, text);
  else if (readFileSync(page, "utf8") !== text) {
    complaints.push("docs/parity.md is out of date: run node scripts/parity.mjs.");
  }
  for (const complaint of complaints) console.error(complaint);
  if (complaints.length > 0) process.exitCode = 1;
}

main(process.argv.slice(2));
