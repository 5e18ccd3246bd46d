// The twenty example servers of modelcontextprotocol/ext-apps: how each is started, what its View
// shows, and what it asks of its server. They run as they are on npm.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { pdfDocument } from "./pdf-document.ts";

/** One server, and what can be seen of it. */
export interface ExampleServer {
  /** Its package is `@modelcontextprotocol/server-<name>`. */
  name: string;
  /** The tool whose result its View shows. */
  tool: string;
  /** Arguments that give a result. */
  input?: Record<string, unknown>;
  /** Where the result is seen. */
  shows: Sight;
  /** What the View asks of its server, if anything. */
  asks?: Asking;
  /** What it needs the internet for, and what its View shows without. */
  internet?: {
    for: string;
    without: Sight;
    /** Where it stays without, if that is not `shown`. */
    stage?: string;
  };
  /** What an operator has to allow for it, in words of the Sandbox's policy. */
  needs?: object;
  /** Makes what its command line and input name, in a folder of its own. */
  prepare?(folder: string): Promise<{ args: string[]; input: Record<string, unknown> }>;
}

/** A request of a View to its server: made by itself, or when these are clicked in turn. */
export interface Asking {
  method: string;
  tool?: string;
  clicks?: readonly string[];
  /** Why it cannot be made here. */
  not?: string;
}

/** Something to be seen in a View. */
export interface Sight {
  selector: string;
  text?: RegExp;
  /** It is a canvas, with at least so many colours. */
  colours?: number;
  /** One of them, as `r,g,b,a`. */
  colour?: string;
}

/** A server that runs. */
export interface RunningServer {
  /** Its MCP endpoint. */
  url: string;
  input: Record<string, unknown>;
  close(): Promise<void>;
}

const basic = (framework: string): ExampleServer => ({
  name: `basic-${framework}`,
  tool: "get-time",
  shows: { selector: "code", text: /\d{4}-\d\d-\d\dT/ },
  asks: {
    method: "tools/call",
    tool: "get-time",
    clicks: ["button >> text=Get Server Time"],
    // It keeps its App in a deep `ref`, and Vue looks into everything there, the parent window too: a
    // browser forbids that in every Host whose Views have an origin of their own.
    ...(framework === "vue" && {
      not: "its ref() reads window.parent, which is of another origin",
    }),
  },
});

/** All of them. */
export const EXAMPLE_SERVERS: readonly ExampleServer[] = [
  ...["preact", "react", "solid", "svelte", "vanillajs", "vue"].map(basic),
  {
    name: "budget-allocator",
    tool: "get-budget-data",
    shows: { selector: "#status-bar", text: /\$100,000 \/ \$100,000/ },
  },
  {
    name: "cohort-heatmap",
    tool: "get-cohort-data",
    shows: { selector: "body", text: /M11/ },
    asks: { method: "tools/call", tool: "get-cohort-data" },
  },
  {
    name: "customer-segmentation",
    tool: "get-customer-data",
    shows: { selector: "body", text: /Enterprise\s*\(\d+\)/ },
    asks: { method: "tools/call", tool: "get-customer-data" },
  },
  {
    name: "debug",
    tool: "debug-tool",
    input: { contentType: "mixed" },
    shows: { selector: "body", text: /ontoolresult:/ },
    asks: { method: "tools/call", tool: "debug-refresh", clicks: ["#call-debug-refresh-btn"] },
  },
  {
    name: "map",
    tool: "show-map",
    shows: { selector: "#cesiumContainer canvas" },
    internet: {
      for: "CesiumJS of cesium.com, which it loads before it greets the Host",
      without: { selector: "body", text: /Failed to load CesiumJS/ },
      stage: "document",
    },
    needs: {
      approved: ["connectDomains", "resourceDomains"].flatMap((list) =>
        ["https://*.openstreetmap.org", "https://*.cesium.com"].map((source) => ({ list, source })),
      ),
    },
  },
  {
    name: "pdf",
    tool: "display_pdf",
    shows: { selector: "body", text: /Hello from Vitrine/ },
    asks: { method: "tools/call", tool: "read_pdf_bytes" },
    prepare: async (folder) => {
      const url = join(folder, "hello.pdf");
      await writeFile(url, pdfDocument("Hello from Vitrine"));
      return { args: [url], input: { url } };
    },
  },
  {
    name: "scenario-modeler",
    tool: "get-scenario-data",
    shows: { selector: "body", text: /End MRR/ },
  },
  {
    name: "shadertoy",
    tool: "render-shadertoy",
    input: {
      fragmentShader:
        "void mainImage(out vec4 c, in vec2 p) { c = vec4(p / iResolution.xy, 0.5, 1.0); }",
    },
    shows: { selector: "#canvas", colours: 16 },
  },
  {
    name: "sheet-music",
    tool: "play-sheet-music",
    input: { abcNotation: "X:1\nT:A scale\nM:4/4\nL:1/4\nK:C\nC D E F | G A B c |" },
    shows: { selector: "#sheet-music svg", text: /A scale/ },
  },
  {
    name: "system-monitor",
    tool: "get-system-info",
    shows: { selector: "body", text: /\d GB/ },
    asks: { method: "tools/call", tool: "poll-system-stats" },
  },
  {
    name: "threejs",
    tool: "show_threejs_scene",
    shows: { selector: "canvas", colours: 3 },
    // It runs the code that it is given.
    needs: { unsafeEval: true },
  },
  {
    name: "transcript",
    tool: "transcribe",
    shows: { selector: "#transcript", text: /Your speech will appear here/ },
    needs: { permissions: ["microphone", "clipboardWrite"] },
  },
  {
    name: "video-resource",
    tool: "play_video",
    input: { videoId: "bunny-1mb" },
    shows: { selector: "#video-info", text: /1MB/ },
    asks: { method: "resources/read" },
    internet: {
      for: "its video, which the server fetches",
      without: { selector: "#error", text: /fetch failed/ },
    },
  },
  {
    name: "wiki-explorer",
    tool: "get-first-degree-links",
    shows: { selector: "#graph canvas", colours: 6 },
    asks: {
      method: "tools/call",
      tool: "get-first-degree-links",
      clicks: ["#graph canvas", "#expand-btn"],
      not: "a page that was not fetched has no links to follow",
    },
    internet: {
      for: "its pages, which the server fetches",
      // One node, red for the error that came instead of its links.
      without: { selector: "#graph canvas", colour: "231,76,60,255" },
    },
  },
];

/** Starts a server over Streamable HTTP; `modules` is the `node_modules` it is installed in. */
export async function startExampleServer(
  { name, input = {}, prepare }: ExampleServer,
  { modules, folder }: { modules: string; folder: string },
): Promise<RunningServer> {
  const prepared = (await prepare?.(folder)) ?? { args: [], input };
  const program = join(modules, "@modelcontextprotocol", `server-${name}`, "dist", "index.js");
  const port = await freePort();
  const child = spawn(process.execPath, [program, ...prepared.args], {
    env: { ...process.env, PORT: `${port}`, DEBUG_LOG_FILE: join(folder, "debug.txt") },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    complaint += chunk;
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  const isUp = (): Promise<boolean> =>
    fetch(url, { method: "OPTIONS" }).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error(`server-${name} ended at once: ${complaint}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url,
    input: prepared.input,
    close: async () => {
      if (child.exitCode !== null) return;
      // They wait for connections to end, and a browser keeps its own open.
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
