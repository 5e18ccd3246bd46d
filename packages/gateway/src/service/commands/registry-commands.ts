import { AdminError } from "../../admin/admin-error.ts";
import { createRegistry } from "../../admin/registry/registry-client.ts";
import { importServer } from "../../admin/registry/registry-import.ts";
import type { RegistryServer } from "../../admin/registry/registry-server.ts";
import { table } from "../admin-client.ts";
import { OperatorError } from "../operator-error.ts";
import { type Command, defineCommand } from "./command.ts";

const OPTIONS = {
  registry: { type: "string" },
  version: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

/** `registry search`, `registry show`, `registry import` */
export const registryCommands: readonly Command[] = [
  defineCommand({
    name: "registry search",
    usage: ["registry search TEXT [--registry URL] [--json]"],
    notes: [
      "registry reads the official MCP registry, or the one at --registry. registry import prints the entry for servers: in your configuration.",
    ],
    options: OPTIONS,
    words: 1,
    run: async (given, { out, err }, [text = ""]) => {
      const { items, next, skipped } = await reading(() =>
        createRegistry(given.registry).search(text),
      );
      if (given.json) for (const item of items) out(`${JSON.stringify(item)}\n`);
      else if (items.length === 0) out("None.\n");
      else out(table(items.map(rowOf), ["name", "version", "kind", "status", "description"]));
      if (next !== undefined) err("There are more. Search for a longer text.\n");
      if (skipped > 0) err(`${skipped} entries can't be used and aren't shown.\n`);
      return 0;
    },
  }),
  defineCommand({
    name: "registry show",
    usage: ["registry show NAME [--version VERSION]"],
    options: OPTIONS,
    words: 1,
    run: async (given, { out }, [name]) => {
      const found = await find(name, given);
      out(`${JSON.stringify(found, null, 2)}\n`);
      return 0;
    },
  }),
  defineCommand({
    name: "registry import",
    usage: ["registry import NAME [--version VERSION]"],
    options: OPTIONS,
    words: 1,
    run: async (given, { out }, [name]) => {
      const found = await find(name, given);
      const imported = await reading(async () => importServer(found));
      out(given.json ? `${JSON.stringify(imported)}\n` : imported.yaml);
      return 0;
    },
  }),
];

function find(
  name: string | undefined,
  { registry, version }: { registry?: string | undefined; version?: string | undefined },
): Promise<RegistryServer> {
  if (name === undefined) {
    throw new OperatorError("usage", "Name the server: registry show io.github.owner/server");
  }
  return reading(() => createRegistry(registry).read(name, version));
}

async function reading<Value>(run: () => Promise<Value>): Promise<Value> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof AdminError)) throw error;
    throw new OperatorError("admin", error.message, { cause: error });
  }
}

function rowOf({ name, version, status, remotes, packages, description }: RegistryServer) {
  const kind = remotes.length > 0 ? "url" : (packages[0]?.type ?? "-");
  return { name, version, kind, status, description };
}
