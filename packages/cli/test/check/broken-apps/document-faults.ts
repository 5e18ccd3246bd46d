// Pages that a strict policy, another origin or the browser itself stops.

import { CONNECT, healthyApp, page, SHOW, URI } from "./app.ts";
import type { BrokenApp } from "./broken-app.ts";

const CDN = "https://cdn.jsdelivr.net";
const CHART = `<script src="${CDN}/npm/chart.js@4.4.1/dist/chart.umd.js"></script>`;
const DRAW = `new Chart(document.querySelector("canvas"), { type: "bar" });`;
const withChart = page({
  head: CHART,
  body: '<canvas></canvas><p id="text"></p>',
  script: `${DRAW}${CONNECT}${SHOW}await app.connect();`,
});
const CONNECTED = `${CONNECT}${SHOW}await app.connect();`;

export const DOCUMENT_FAULTS: readonly BrokenApp[] = [
  {
    name: "cdn-undeclared",
    after: "atlassian-mcp-server#235",
    app: () => healthyApp({ html: withChart }),
    cause: /Blank: .*blocked from loading a script from https:\/\/cdn\.jsdelivr\.net/,
    remedy: /csp: \{ resourceDomains: \["https:\/\/cdn\.jsdelivr\.net"\] \}/,
  },
  {
    name: "csp-on-the-tool",
    after: "frontmcp#455",
    app: () => {
      const app = healthyApp({ html: withChart });
      const ui = { resourceUri: URI, csp: { resourceDomains: [CDN] } };
      return {
        ...app,
        tools: app.tools.map((tool) => ({ ...tool, _meta: { ui, "ui/resourceUri": URI } })),
      };
    },
    cause: /Blank: The tool "forecast" has _meta\.ui\.csp; hosts read it from the resource/,
    remedy: /move it to the content of ui:\/\/weather\/forecast\.html.*resourceDomains/,
  },
  {
    name: "csp-with-keys-of-others",
    after: "skybridge#254, openai's snake case",
    app: () => healthyApp({ html: withChart, ui: { csp: { resource_domains: [CDN] } } }),
    cause: /Blank: _meta\.ui\.csp\.resource_domains .*not a list of the specification/,
    remedy: /resourceDomains: \["https:\/\/cdn\.jsdelivr\.net"\]/,
  },
  {
    name: "csp-in-the-list-alone",
    after: "PostHog PR 76899",
    app: () => {
      const app = healthyApp({ html: withChart });
      const ui = { prefersBorder: true, csp: { resourceDomains: [CDN] } };
      return { ...app, resources: app.resources.map((entry) => ({ ...entry, _meta: { ui } })) };
    },
    cause: /Blank: _meta\.ui\.csp of .* is only in resources\/list/,
    remedy: /repeat it in the contents of resources\/read: .*resourceDomains/,
  },
  {
    name: "csp-in-the-wrong-list",
    after: "claude-ai-mcp#40",
    app: () => healthyApp({ html: withChart, ui: { csp: { connectDomains: [CDN] } } }),
    cause: /Blank: .*blocked from loading a script from https:\/\/cdn\.jsdelivr\.net/,
    remedy: /resourceDomains: \["https:\/\/cdn\.jsdelivr\.net"\]/,
  },
  {
    name: "api-undeclared",
    after: "claude-ai-mcp#40",
    app: () =>
      healthyApp({
        html: page({
          body: '<div id="text"></div>',
          script: `${CONNECT}await app.connect();
const answer = await fetch("https://api.weather.example.com/today");
document.querySelector("#text").textContent = await answer.text();`,
        }),
      }),
    cause: /Blank: .*https:\/\/api\.weather\.example\.com/,
    remedy: /connectDomains: \["https:\/\/api\.weather\.example\.com"\]/,
  },
  {
    name: "frame-undeclared",
    after: "claude-ai-mcp#54",
    app: () =>
      healthyApp({
        html: page({
          body: '<main><h1>Radar</h1><p id="text"></p><iframe title="Radar" src="https://radar.example.com/embed" width="300" height="200"></iframe></main>',
        }),
      }),
    cause: /Broken: .*a frame (?:of|from) https:\/\/radar\.example\.com/,
    remedy: /frameDomains: \["https:\/\/radar\.example\.com"\]/,
  },
  {
    name: "eval-declared",
    after: "ext-apps#199, inspector's quoted keywords",
    app: () =>
      healthyApp({
        ui: { csp: { resourceDomains: ["'unsafe-eval'"] } },
        html: page({ script: `const draw = new Function("return 1"); draw();\n${CONNECTED}` }),
      }),
    cause: /Blank: .*"'unsafe-eval'".*running text as code/,
    remedy: /remove the entry.*without eval/,
  },
  {
    name: "eval-undeclared",
    after: "ext-apps#605, #652",
    app: () =>
      healthyApp({
        html: page({ script: `const draw = new Function("return 1"); draw();\n${CONNECTED}` }),
      }),
    cause: /Blank: .*runs text as code \(eval or new Function/,
    remedy: /use a build that doesn't need it/,
  },
  {
    name: "bundle-beside-the-page",
    after: "openai-apps-sdk-examples#206",
    app: () =>
      healthyApp({
        html: page({
          body: '<div id="root"></div>',
          head: '<script type="module" src="./assets/index-4f2a.js"></script>',
          script: "",
        }),
      }),
    cause: /Blank: .*assets\/index-4f2a\.js.*no other files/,
    remedy: /one file/,
  },
  {
    name: "page-of-a-dev-server",
    after: "claude-ai-mcp#9, pomerium#20",
    app: () =>
      healthyApp({
        html: page({
          body: '<div id="root"></div>',
          head: '<script type="module" src="http://localhost:5173/@vite/client"></script><script type="module" src="http://localhost:5173/src/main.tsx"></script>',
          script: "",
        }),
      }),
    cause: /Blank: .*http:\/\/localhost:5173/,
    remedy: /one file.*serve that/,
  },
  {
    name: "import-without-bundler",
    after: "authors who send their source",
    app: () =>
      healthyApp({
        html: page({
          script: `import { App } from "@modelcontextprotocol/ext-apps";\nconst app = new App({ name: "x", version: "1" });\nawait app.connect();`,
        }),
      }),
    cause: /Blank: .*"@modelcontextprotocol\/ext-apps", a name that only a bundler can resolve/,
    remedy: /one file/,
  },
  {
    name: "script-cannot-be-read",
    after: "mcp-bash's templates",
    app: () =>
      healthyApp({
        html: page({
          script: `${CONNECT}${SHOW}\nconst data = { city: "Oslo", ;\nawait app.connect();`,
        }),
      }),
    cause: /Blank: A script of .* has a syntax error.*none of it runs/,
    remedy: /correct .*line/,
  },
  {
    name: "exception-before-connect",
    after: "authors.md §5.2",
    app: () =>
      healthyApp({
        html: page({ script: `document.querySelector("#chart").getContext("2d");\n${CONNECTED}` }),
      }),
    cause:
      /Blank: A script of .* fails: TypeError: Cannot read properties of null \(reading 'getContext'\) \(line 1\d:\d+\)/,
    remedy: /correct line 1\d/,
  },
  {
    name: "storage-that-is-not-there",
    after: "assistant-ui's opaque frames, pomerium#115",
    app: () =>
      healthyApp({
        html: page({ script: `const city = localStorage.getItem("city");\n${CONNECTED}` }),
      }),
    cause: /Blank: .*uses localStorage \(line 1\d:\d+\), which throws a SecurityError/,
    remedy: /try \{ store = localStorage \} catch/,
  },
  {
    name: "hosts-page-out-of-reach",
    after: "MCP-UI apps of the same origin",
    app: () =>
      healthyApp({
        html: page({
          script: `document.documentElement.className = window.parent.document.body.className;\n${CONNECTED}`,
        }),
      }),
    cause: /Blank: .*accesses the host's page/,
    remedy: /app\.getHostContext\(\)/,
  },
  {
    name: "sign-in-by-redirect",
    after: "ext-apps#678",
    app: () =>
      healthyApp({
        html: page({
          script: `if (!window.token) location.href = "https://login.example.com/authorize";\n${CONNECTED}`,
        }),
      }),
    cause: /Blank: .*was stopped: it left its document/,
    remedy: /app\.openLink\(\{ url \}\)/,
  },
  {
    name: "script-without-end",
    after: "openwork PR 3754",
    app: () =>
      healthyApp({ html: page({ script: `${CONNECTED}\nfor (let n = 0; ; n++) Math.sqrt(n);` }) }),
    cause: /Blank: .*never becomes idle/,
    remedy: /end the loop/,
  },
  {
    name: "height-of-nothing",
    after: "spec §6 pain 1",
    app: () =>
      healthyApp({
        html: page({
          head: "<style>body { padding: 0 } main { position: absolute; inset: 0 }</style>",
        }),
      }),
    cause: /Blank: .*height of \d px/,
    remedy: /min-height/,
  },
  {
    name: "white-on-white",
    after: "KiroCrew#10352",
    app: () =>
      healthyApp({
        html: page({
          head: "<style>body, h1, p { color: #fff !important; background: #fff !important }</style>",
        }),
      }),
    cause: /Blank: .*single colour/,
    remedy: /var\(--color-text-primary/,
  },
  {
    name: "height-that-chases-its-frame",
    after: "mcp-ui#215, ext-apps#502",
    app: () =>
      healthyApp({
        html: page({ head: "<style>html { height: 100vh; padding-bottom: 24px }</style>" }),
      }),
    cause: /Broken: .*reports another height each time its frame follows/,
    remedy: /height: 100vh/,
  },
  {
    name: "wider-than-a-telephone",
    runs: ["narrow"],
    after: "ext-apps#688",
    app: () =>
      healthyApp({
        html: page({
          body: '<main style="width: 640px"><h1>Forecast</h1><p id="text"></p></main>',
        }),
      }),
    cause: /Works, but: .*wider than its frame at 360 px/,
    remedy: /max-width: 100%/,
  },
  {
    name: "dark-text-on-dark",
    runs: ["dark"],
    after: "elastic dashbuilder PR 21",
    app: () => healthyApp({ html: page({ head: "<style>h1, p { color: #222 }</style>" }) }),
    cause: /Works, but: .*contrast.*dark/,
    remedy: /var\(--color-text-primary/,
  },
];
