// Writes docs/parity.md: every public member of the official View SDK compared with ours. The official list
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
  const ours = readDeclarations(emitted);
  rmSync(emitted, { recursive: true });
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
  return {
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
    include: [join(root, "packages/protocol/src"), join(root, "packages/view/src")],
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

function renderPage(tables, behaviour, version) {
  const all = tables.flatMap(({ rows }) => rows);
  const count = (status) =>
    all.reduce((sum, row) => sum + (row.status === status ? row.count : 0), 0);
  const habits = behaviour.map(({ there, here }) => `| ${there} | ${here} |`).join("\n");
  return `<!-- Written by scripts/parity.mjs from test/parity/differences.json. Do not edit. -->

# Parity with the official View SDK

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

| official SDK ${version} | Vitrine |
|---|---|
${habits}

${tables.map(({ heading, rows }) => renderTable(heading, rows)).join("\n")}`;
}

function main([mode]) {
  const differences = JSON.parse(readFileSync(join(root, "test/parity/differences.json"), "utf8"));
  const { behaviour, ...listed } = differences;
  const { version } = JSON.parse(readFileSync(join(official, "package.json"), "utf8"));
  const surfaces = readSurfaces();
  const tables = Object.entries(surfaces).map(([heading, names]) => ({
    heading,
    ...compare(heading, names, listed[heading]),
  }));
  const complaints = tables.flatMap((table) => table.complaints);
  for (const heading of Object.keys(listed)) {
    if (!surfaces[heading]) complaints.push(`Nothing is compared under "${heading}".`);
  }
  const text = renderPage(tables, behaviour, version);
  if (mode !== "--check") writeFileSync(page, text);
  else if (readFileSync(page, "utf8") !== text) {
    complaints.push("docs/parity.md is out of date: run node scripts/parity.mjs.");
  }
  for (const complaint of complaints) console.error(complaint);
  if (complaints.length > 0) process.exitCode = 1;
}

main(process.argv.slice(2));
