import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command, Recipe } from "./cache.ts";

/** How a server is reached. */
export type Way = "stdio" | "http" | "sse";

/** A server of the matrix. */
export interface Maker {
  name: string;
  /** The protocol that it uses by default. */
  era: "modern" | "legacy";
  ways: readonly Way[];
  /** Programs without which it cannot run; nothing is installed for Node's own. */
  needs?: string;
  recipe?: Recipe;
  /** The program; `folder` is where the recipe was made. */
  argv(folder: string): readonly [string, ...string[]];
  /** Where it serves clients of the handshake era, if not at `/mcp` as well. */
  legacyPath?: string;
  /** Part of the quick run. */
  isQuick: boolean;
}

const SERVERS = fileURLToPath(new URL("servers", import.meta.url));
const node = (file: string) => (): [string, ...string[]] => [
  process.execPath,
  "--experimental-strip-types",
  "--no-warnings",
  join(SERVERS, file),
];

/** A virtual environment with one package. */
export function pythonRecipe(requirement: string): Recipe {
  const [name] = requirement.split("==");
  return {
    name: `interop-python-${name}`,
    inputs: [requirement],
    make: (folder) => [
      { argv: ["python3", "-m", "venv", "venv"] },
      { argv: [join(folder, "venv/bin/pip"), "install", "--quiet", requirement] },
    ],
  };
}

/** A server in a virtual environment of its own. */
function python(requirement: string, file: string): Pick<Maker, "needs" | "recipe" | "argv"> {
  return {
    needs: "python3",
    recipe: pythonRecipe(requirement),
    argv: (folder) => [join(folder, "venv/bin/python"), join(SERVERS, file)],
  };
}

function go(version: string, tags: string): Pick<Maker, "needs" | "recipe" | "argv"> {
  const sources = join(SERVERS, "go");
  return {
    needs: "go",
    recipe: {
      name: "interop-go",
      inputs: [sources, version, tags],
      make: (folder): Command[] => {
        cpSync(sources, folder, { recursive: true });
        const sdk = `github.com/modelcontextprotocol/go-sdk@${version}`;
        return [
          { argv: ["go", "get", sdk] },
          { argv: ["go", "build", "-mod=mod", "-tags", tags, "-o", "interop", "."] },
        ];
      },
    },
    argv: (folder) => [join(folder, "interop")],
  };
}

function rust(): Pick<Maker, "needs" | "recipe" | "argv"> {
  const sources = join(SERVERS, "rust");
  const manifest = join(sources, "Cargo.toml");
  return {
    needs: "cargo",
    recipe: {
      name: "interop-rust",
      inputs: [manifest, join(sources, "Cargo.lock"), join(sources, "src")],
      make: (folder) => [
        {
          argv: ["cargo", "build", "--locked", "--manifest-path", manifest, "--target-dir", folder],
        },
      ],
    },
    argv: (folder) => [join(folder, "debug/interop")],
  };
}

/** Everybody's server, newest first. Versions are pinned: a new one is a change of this list. */
export const MAKERS: readonly Maker[] = [
  {
    name: "TypeScript SDK 2.4.0",
    era: "modern",
    ways: ["stdio", "http"],
    argv: node("typescript-2.ts"),
    isQuick: true,
  },
  {
    name: "TypeScript SDK 1.32.2",
    era: "legacy",
    ways: ["stdio", "http", "sse"],
    argv: node("typescript-1.ts"),
    isQuick: true,
  },
  {
    name: "Python mcp 2.3.0",
    era: "modern",
    ways: ["stdio", "http", "sse"],
    ...python("mcp==2.3.0", "python_2.py"),
    isQuick: true,
  },
  {
    name: "Python mcp 1.30.0",
    era: "legacy",
    ways: ["stdio", "http", "sse"],
    ...python("mcp==1.30.0", "python_1.py"),
    isQuick: true,
  },
  {
    name: "FastMCP 4.1.2",
    era: "modern",
    ways: ["stdio", "http"],
    ...python("fastmcp==4.1.2", "fastmcp_server.py"),
    isQuick: true,
  },
  {
    name: "FastMCP 3.4.10",
    era: "legacy",
    ways: ["stdio", "http", "sse"],
    ...python("fastmcp==3.4.10", "fastmcp_server.py"),
    isQuick: false,
  },
  {
    name: "Go SDK 1.8.0",
    era: "modern",
    ways: ["stdio", "http", "sse"],
    ...go("v1.8.0", "new"),
    legacyPath: "/sessions",
    isQuick: false,
  },
  {
    name: "Go SDK 1.4.1",
    era: "legacy",
    ways: ["stdio", "http", "sse"],
    ...go("v1.4.1", "old"),
    isQuick: false,
  },
  {
    name: "Rust rmcp 3.8.0",
    era: "modern",
    ways: ["stdio", "http"],
    ...rust(),
    isQuick: false,
  },
];
