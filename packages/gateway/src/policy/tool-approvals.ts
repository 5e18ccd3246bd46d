// Which definitions of tools an operator has approved. The first list of a server is trusted: an operator who adds a
// server approves the tools that it has then. Every later definition is new or changed until an operator
// approves it. The whole tool object is hashed, because any member of it can carry instructions for a model.

import { hashOf } from "../crypto/stable-hash.ts";
import type { Engine } from "../engine/engine.ts";
import { EngineError } from "../engine/engine-error.ts";
import { jsonBytes, readJson, watchBucket } from "../engine/watched-bucket.ts";
import { type ToolDefinition, toolHashOf } from "./tool-definition.ts";

/** The state of a tool. `removed`: approved, but the server doesn't list it any more. */
export type ToolApproval = "approved" | "new" | "changed" | "removed";

/** A tool of a server, and whether its definition is approved. */
export interface ToolState {
  name: string;
  approval: ToolApproval;
  /** Hash of the definition that the server lists, or listed last. */
  hash: string;
  /** The approved definition as JSON text, if it differs. */
  before?: string | undefined;
  /** The listed definition as JSON text. */
  after?: string | undefined;
}

/** The approved tools of all servers. */
export interface ToolApprovals {
  /** Whether an operator approved exactly this definition. */
  isApproved(server: string, tool: ToolDefinition): boolean;
  /** Notes the list of a server. Resolves once the first list is approved. */
  observe(server: string, tools: readonly ToolDefinition[]): Promise<void>;
  /** Approves definitions by their hash. Returns the names that don't have that definition any more. */
  approve(
    server: string,
    tools: readonly { name: string; hash: string }[],
  ): Promise<{ approved: string[]; outdated: string[] }>;
  /** The number of tools that wait for approval. */
  pending(server: string): number;
  /** The number of tools that the server lists. */
  count(server: string): number;
  list(server: string): Promise<ToolState[]>;
  readonly isReady: Promise<void>;
  close(): void;
}

interface ApprovedTools {
  server: string;
  /** The approved hashes of each tool, the newest last. Lists may differ between users. */
  tools: Record<string, string[]>;
}

interface ListedTools {
  server: string;
  /** Milliseconds since 1970. */
  at: number;
  tools: Record<string, string>;
}

const LONGEST_NAME = 256;
const LONGEST_DEFINITION = 16_384;
const MOST_TOOLS = 2_000;
const MOST_HASHES = 8;
const ATTEMPTS = 8;

/** Decides about the tools in the lists of one server. */
export interface ToolReview {
  /** Called with each list that was read. Resolves when `isHeld` can decide about it. */
  observe(tools: readonly ToolDefinition[]): Promise<void>;
  /** Whether a tool is hidden until an operator approves its definition. */
  isHeld(tool: ToolDefinition): boolean;
}

/** The review of a server's tools: `report` notes changes, `hold` also hides the changed tools. */
export function reviewOf(
  approvals: ToolApprovals,
  server: string,
  { mode, isAwaited }: { mode: "report" | "hold"; isAwaited: boolean },
): ToolReview {
  return {
    observe: (tools) => {
      // If a list can't be noted now, its next reading tries again. A tool that isn't known as approved stays
      // held.
      const noted = approvals.observe(server, tools).catch(() => {});
      return isAwaited ? noted : Promise.resolve();
    },
    isHeld: (tool) => mode === "hold" && !approvals.isApproved(server, tool),
  };
}

/** Opens the approvals in an engine. */
export function createToolApprovals(engine: Engine): ToolApprovals {
  const approvedKv = engine.kv("tool-approvals", { durable: true });
  const listedKv = engine.kv("tool-lists", { durable: true });
  const definitions = engine.kv("tool-definitions", { durable: true });
  const approved = watchBucket<ApprovedTools>(approvedKv);
  const listed = watchBucket<ListedTools>(listedKv);
  const isReady = Promise.all([approved.isReady, listed.isReady]).then(() => {});
  /** What this process noted last, so that an unchanged list costs nothing. */
  const noted = new Map<string, string>();

  const hashesOf = (server: string, name: string): readonly string[] => {
    const tools = approved.get(hashOf(server))?.tools;
    return tools && Object.hasOwn(tools, name) ? (tools[name] ?? []) : [];
  };

  /** Changes the approved tools, also if another gateway does so at the same time. */
  const change = async (server: string, edit: (tools: Map<string, string[]>) => void) => {
    const key = hashOf(server);
    for (let attempt = 1; ; attempt++) {
      const entry = await approvedKv.get(key);
      const before = entry && readJson<ApprovedTools>(entry.value);
      const tools = new Map(Object.entries(before?.tools ?? {}));
      edit(tools);
      const value = jsonBytes({ server, tools: Object.fromEntries(tools) });
      try {
        if (entry) await approvedKv.update(key, value, entry.revision);
        else await approvedKv.create(key, value);
        return;
      } catch (error) {
        if (!isLostRace(error) || attempt === ATTEMPTS) throw error;
      }
    }
  };

  const keepDefinitions = async (tools: readonly ToolDefinition[]): Promise<void> => {
    for (const tool of tools) {
      const hash = toolHashOf(tool);
      if (await definitions.get(hash)) continue;
      const text = JSON.stringify(tool, null, 2).slice(0, LONGEST_DEFINITION);
      await definitions.put(hash, jsonBytes(text));
    }
  };

  const definitionOf = async (hash: string | undefined): Promise<string | undefined> => {
    const entry = hash === undefined ? undefined : await definitions.get(hash);
    const text = entry && readJson<unknown>(entry.value);
    return typeof text === "string" ? text : undefined;
  };

  const stateOf = (server: string, name: string, hash: string): ToolApproval => {
    const hashes = hashesOf(server, name);
    if (hashes.includes(hash)) return "approved";
    return hashes.length === 0 ? "new" : "changed";
  };

  return {
    isReady,
    isApproved: (server, tool) => hashesOf(server, `${tool?.name}`).includes(toolHashOf(tool)),
    observe: async (server, tools) => {
      const known = tools.filter((tool) => isNamed(tool)).slice(0, MOST_TOOLS);
      const names = Object.fromEntries(known.map((tool) => [tool.name, toolHashOf(tool)]));
      const content = hashOf(names);
      if (noted.get(server) === content) return;
      await isReady;
      const key = hashOf(server);
      if (!approved.get(key)) {
        const first = Object.fromEntries(known.map((tool) => [tool.name, [toolHashOf(tool)]]));
        // If another gateway was first, its list is the approved one.
        await approvedKv.create(key, jsonBytes({ server, tools: first })).catch((error) => {
          if (!isLostRace(error)) throw error;
        });
        await approved.until(key, (value) => value !== undefined);
      }
      if (hashOf(listed.get(key)?.tools ?? null) !== content) {
        await keepDefinitions(known);
        await listedKv.put(key, jsonBytes({ server, at: Date.now(), tools: names }));
        await listed.until(key, (value) => hashOf(value?.tools ?? null) === content);
      }
      noted.set(server, content);
    },
    approve: async (server, tools) => {
      const now = listed.get(hashOf(server))?.tools ?? {};
      const isCurrent = ({ name, hash }: { name: string; hash: string }): boolean =>
        Object.hasOwn(now, name) && now[name] === hash;
      // A removed tool can be approved too: it is forgotten.
      const isGone = ({ name }: { name: string }): boolean => !Object.hasOwn(now, name);
      const wanted = tools.filter((tool) => isCurrent(tool) || isGone(tool));
      await change(server, (all) => {
        for (const tool of wanted) {
          const { name, hash } = tool;
          if (isGone(tool)) all.delete(name);
          else {
            const before = (all.get(name) ?? []).filter((one) => one !== hash);
            all.set(name, [...before, hash].slice(-MOST_HASHES));
          }
        }
      });
      await approved.until(hashOf(server), () =>
        wanted.every((tool) => hashesOf(server, tool.name).includes(tool.hash) || isGone(tool)),
      );
      const done = new Set(wanted.map(({ name }) => name));
      const outdated = tools.filter(({ name }) => !done.has(name)).map(({ name }) => name);
      return { approved: [...done], outdated };
    },
    pending: (server) => {
      const now = listed.get(hashOf(server))?.tools ?? {};
      return Object.entries(now).filter(([name, hash]) => !hashesOf(server, name).includes(hash))
        .length;
    },
    count: (server) => Object.keys(listed.get(hashOf(server))?.tools ?? {}).length,
    list: async (server) => {
      await isReady;
      const key = hashOf(server);
      const now = listed.get(key)?.tools ?? {};
      const states: ToolState[] = [];
      for (const [name, hash] of Object.entries(now)) {
        const approval = stateOf(server, name, hash);
        const old = approval === "changed" ? hashesOf(server, name).at(-1) : undefined;
        const texts = { before: await definitionOf(old), after: await definitionOf(hash) };
        states.push({ name, approval, hash, ...texts });
      }
      for (const [name, hashes] of Object.entries(approved.get(key)?.tools ?? {})) {
        const hash = hashes.at(-1);
        if (hash === undefined || Object.hasOwn(now, name)) continue;
        states.push({ name, approval: "removed", hash, before: await definitionOf(hash) });
      }
      return states;
    },
    close: () => {
      approved.close();
      listed.close();
    },
  };
}

function isNamed(tool: ToolDefinition | null): boolean {
  return typeof tool?.name === "string" && tool.name.length <= LONGEST_NAME;
}

function isLostRace(error: unknown): boolean {
  return error instanceof EngineError && (error.code === "exists" || error.code === "conflict");
}
