// Servers that weren't written for this host: the twenty official ones, apps in Python by two kits, and one
// without a view.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EXAMPLE_SERVERS, type ExampleServer, type Sight } from "@vitrine/internal/example-servers";
import { installServers } from "../../../../examples/official-servers/install.ts";
import { has, provide } from "../../../gateway/test/interop/cache.ts";
import { MAKERS } from "../../../gateway/test/interop/makers.ts";

/** A server, and what is to be seen of it. */
export interface ThirdPartyServer {
  name: string;
  tool: string;
  input: Record<string, unknown>;
  shows: Sight;
  /** What it shows without an internet connection, and why. */
  offline?: Offline;
  /** What an operator has to allow for it, as `vitrine dev --grant` takes it. */
  grants?: readonly string[];
  /** What `vitrine check` is right to call an error, by its code. */
  errors?: readonly string[];
  /** There is no View to be checked. */
  isWithoutUi?: boolean;
  isQuick: boolean;
  /** Its command line, or why there is none and what to do about it. */
  provide(): Promise<Provided | { problem: string }>;
}

/** A server that can be started. */
export interface Provided {
  words: readonly string[];
  /** Arguments that only exist now. */
  input?: Record<string, unknown>;
}

/** Why a View cannot be whole without the internet. */
export interface Offline {
  reason: string;
  /** Its own words, or drawing. */
  without: Sight;
  /** It never greets the Host: what the dev Host has to say of it. */
  words?: RegExp;
  /** What `vitrine check` has to call an error then. */
  errors?: readonly string[];
}

const QUICK = ["basic-react", "map"];
const ERRORS: Record<string, readonly string[]> = {
  // It runs the code that it is given, which no View may where nobody has granted it.
  threejs: ["dynamic-code"],
  // It keeps "Loading benchmarks..." after a failed call.
  "budget-allocator": ["stuck"],
};
// Needed in addition to the permissions in the servers' table. Without them the dev host lists a problem.
const GRANTS: Record<string, readonly string[]> = { pdf: ["clipboardWrite"] };
const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

function official(example: ExampleServer): ThirdPartyServer {
  const { name, tool, input = {}, shows, internet, needs } = example;
  return {
    name,
    tool,
    input,
    shows,
    ...(internet && {
      offline: {
        reason: `needs the internet for ${internet.for}`,
        without: internet.without,
        ...(internet.stage && { words: /https:\/\/cesium\.com.* can't be reached/ }),
        ...(internet.stage && { errors: ["unreachable"] }),
      },
    }),
    ...((needs || GRANTS[name]) && { grants: GRANTS[name] ?? grantsOf(needs ?? {}) }),
    ...(ERRORS[name] && { errors: ERRORS[name] }),
    isQuick: QUICK.includes(name),
    provide: async () => {
      const modules = await installServers().catch((error: Error) => error);
      if (modules instanceof Error) {
        return {
          problem: `${modules.message} They are installed from examples/official-servers/servers, 300 MB, once and with the network (npm run examples:official does the same); OFFICIAL_SERVERS names a node_modules that has them.`,
        };
      }
      const prepared = await example.prepare?.(
        await mkdtemp(join(tmpdir(), "vitrine-third-party-")),
      );
      const program = join(modules, "@modelcontextprotocol", `server-${name}`, "dist", "index.js");
      const words = [process.execPath, program, ...(prepared?.args ?? []), "--stdio"];
      return { words, ...(prepared && { input: prepared.input }) };
    },
  };
}

/** The Sandbox's words of what an operator allows, as the command line has them. */
function grantsOf(needs: object): string[] {
  const { unsafeEval, permissions, approved } = needs as {
    unsafeEval?: boolean;
    permissions?: string[];
    approved?: { source: string }[];
  };
  const domains = (approved ?? []).map(({ source }) => source);
  return [...(unsafeEval ? ["unsafe-eval"] : []), ...(permissions ?? []), ...new Set(domains)];
}

/** A program in an environment of `npm run interop`, which is made if it is not there. */
function python(maker: string, file: string): ThirdPartyServer["provide"] {
  return async () => {
    const recipe = MAKERS.find(({ name }) => name === maker)?.recipe;
    if (!recipe) return { problem: `npm run interop has no ${maker} any more` };
    if (!has("python3"))
      return { problem: "Python isn't installed. Install Python 3.10 or later." };
    const made = provide(recipe);
    if ("problem" in made) {
      return {
        problem: `${made.problem} (installed once, with the network; npm run interop does the same)`,
      };
    }
    return { words: [join(made.folder, "venv/bin/python"), path(file)] };
  };
}

/** All of them. */
export const THIRD_PARTY_SERVERS: readonly ThirdPartyServer[] = [
  ...EXAMPLE_SERVERS.map(official),
  {
    name: "FastMCP 4.1.2",
    tool: "roll",
    input: { dice: 3, colour: "red", loaded: true },
    shows: { selector: "body", text: /3 dice, red/ },
    isQuick: true,
    provide: python("FastMCP 4.1.2", "servers/fastmcp_apps.py"),
  },
  {
    name: "FastMCP 3.4.10",
    tool: "roll",
    input: { dice: 2 },
    shows: { selector: "body", text: /2 dice, white/ },
    isQuick: false,
    provide: python("FastMCP 3.4.10", "servers/fastmcp_apps.py"),
  },
  {
    name: "Python mcp 2.3.0",
    tool: "weather",
    input: { city: "Graz", days: 3 },
    shows: { selector: "body", text: /Graz: sunny for 3 day/ },
    isQuick: false,
    provide: python("Python mcp 2.3.0", "servers/python_mcp_app.py"),
  },
  {
    name: "without a View",
    tool: "people",
    input: {},
    shows: { selector: "body", text: /Grace/ },
    isWithoutUi: true,
    isQuick: true,
    provide: async () => ({ words: [process.execPath, path("../e2e/dev-fixtures/plain.mjs")] }),
  },
];
