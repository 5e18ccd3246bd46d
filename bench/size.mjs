// The size of what authors of Views, Hosts and Servers ship: our builds and the official ones, with budgets
// (gzip, level 9).

import { readFile } from "node:fs/promises";
import {
  bundle,
  bundleChunks,
  bundleChunksWithVite,
  bundlePage,
  listExports,
  weigh,
  weighFiles,
} from "./bundles.mjs";
import { FOR_VIEWS, printRenderers } from "./renderers.mjs";
import { toCount, toDecimal, toTable } from "./table.mjs";

const REACT = { external: ["react", "react/jsx-runtime"] };

async function weighBundle(code, options) {
  return weigh(await bundle(code, options));
}

async function weighPage(name) {
  return weigh(await bundlePage(name));
}

async function weighPublished(specifier) {
  return weigh(await readFile(new URL(import.meta.resolve(specifier)), "utf8"));
}

/** What all hooks add to a bundle that has the core already. React itself is the author's. */
async function weighHooks(core) {
  const names = await listExports(`export * from "${core}/react"`, REACT);
  const hooks = names.filter((name) => name.startsWith("use"));
  const app = `export { App } from "${core}";`;
  const without = await weighBundle(app, REACT);
  const both = await weighBundle(`${app} export { ${hooks} } from "${core}/react";`, REACT);
  return { raw: both.raw - without.raw, gzip: both.gzip - without.gzip };
}

// Bridge, frame, element and default theme; and the official bridge, which has neither of the others.
const HOST = 'export { createHost } from "@vitrine/host"; import "@vitrine/host/element";';
const OFFICIAL_HOST = 'export { AppBridge, PostMessageTransport } from "ext-apps-v2/app-bridge"';

/** What a page loads at first, and all that it ever loads. */
async function weighLoads(divide, code, options) {
  const { first, later } = await divide(code, options);
  return {
    first: weighFiles(first.values()),
    all: weighFiles([...first.values(), ...later.values()]),
  };
}

/** What a skin adds to the first load of a page that has the element already. */
async function weighSkin(name, options) {
  const both = `${HOST} export * from "@vitrine/host/${name}";`;
  const [{ first: without }, { first: with_ }] = [
    await weighLoads(bundleChunksWithVite, HOST, options),
    await weighLoads(bundleChunksWithVite, both, options),
  ];
  return { raw: with_.raw - without.raw, gzip: with_.gzip - without.gzip };
}

/** A template's whole page, as its Host reads it; as it is published, and so after a build. */
async function weighTemplates() {
  const { TEMPLATES } = await import("../packages/server/dist/templates/index.js");
  return [...TEMPLATES].map(([name, make]) => ({
    name: `template ${name}, whole page`,
    short: name,
    ours: weigh(make({ title: "Title" }).html()),
    // A page whose document arrives at run time has all blocks.
    budget: { chart: 40_000, "diff-viewer": 27_000, page: 80_000 }[name] ?? 25_000,
  }));
}

/** Each figure: its name, ours and the others, and our budget. */
async function measure() {
  const host = await weighLoads(bundleChunksWithVite, HOST);
  const official = await weighLoads(bundleChunksWithVite, OFFICIAL_HOST);
  return [
    {
      name: "minimal View, esbuild",
      short: "esbuild",
      hand: await weighBundle('import "./views/hand-written.ts"'),
      ours: await weighBundle('import "./views/vitrine.ts"'),
      official: await weighBundle('import "./views/official.ts"'),
      budget: 4_600,
    },
    {
      name: "minimal View, Vite single file",
      short: "Vite",
      hand: await weighPage("hand-written"),
      ours: await weighPage("vitrine"),
      official: await weighPage("official"),
      budget: 5_100,
    },
    {
      name: "script tag: ./global, app-with-deps",
      short: "global",
      ours: await weighBundle('import "../packages/view/src/global.ts"', { format: "iife" }),
      official: await weighPublished("ext-apps-v2/app-with-deps"),
      budget: 5_100,
    },
    {
      name: "React: all hooks on top of App",
      short: "React",
      ours: await weighHooks("@vitrine/view"),
      official: await weighHooks("ext-apps-v2"),
      // State, tool calls, partial input, display modes, model context and files; the official hooks have none of them.
      budget: 3_500,
    },
    {
      name: "Host, first load, Vite",
      short: "Host",
      ours: host.first,
      official: official.first,
      budget: 14_000,
    },
    {
      name: "Host, until a View is shown (information)",
      ours: (await weighLoads(bundleChunksWithVite, HOST, { soon: FOR_VIEWS })).first,
      official: official.first,
    },
    {
      name: "Host, with all it loads later (information)",
      ours: host.all,
      official: official.all,
    },
    {
      name: "Host, first load, esbuild (information)",
      ours: (await weighLoads(bundleChunks, HOST)).first,
      official: await weighBundle(OFFICIAL_HOST),
    },
    {
      name: "React: <McpApp> on top of the Host",
      short: "Host's React",
      ours: await weighSkin("react", REACT),
      budget: 2_000,
    },
    {
      name: "@vitrine/protocol",
      short: "protocol",
      ours: await weighBundle('export * from "@vitrine/protocol"'),
      budget: 2_500,
    },
    {
      name: "@vitrine/protocol/apps (information)",
      ours: await weighBundle('export * from "@vitrine/protocol/apps"'),
    },
    ...(await weighTemplates()),
  ];
}

function toRow({ name, hand, ours, official, budget }) {
  const bytes = [hand, ours, official].flatMap((weight) => [weight?.raw, weight?.gzip]);
  const share = official && ours.gzip / official.gzip;
  return [name, ...bytes.map(toCount), toDecimal(share, 3), toCount(budget)];
}

const figures = await measure();
const held = figures.filter(({ budget }) => budget);
const over = held.filter(({ ours, budget }) => ours.gzip > budget);
const heads = ["bytes", "hand", "gzip", "ours", "gzip", "official", "gzip", "ratio", "budget"];

console.log(toTable(heads, figures.map(toRow)));
console.log(
  "\nraw, then gzip -9; ratio: ours ÷ official, gzip; official: ext-apps 2.0.4; budgets are gzip.",
);
console.log("");
await printRenderers();
console.log("");
for (const { name, ours, budget } of over) {
  console.log(
    `over budget: ${name}: ${toCount(ours.gzip)} B, ${toCount(ours.gzip - budget)} too many`,
  );
}
const sizes = held.map(
  ({ short, ours, budget }) => `${toCount(ours.gzip)} B (${short}, budget ${toCount(budget)})`,
);
console.log(`size: ours ${sizes.join(", ")}  ${over.length ? "FAIL" : "ok"}`);
process.exitCode = over.length ? 1 : 0;
