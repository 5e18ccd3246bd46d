// Caches a server's lists for as long as the server allows, for the user they were sent to: a private list is
// never shown to another user (GW-10). Keyed by the gateway's name for the server, because a server may claim
// another server's name.

import { setImmediate } from "node:timers/promises";
import { isVisibleTo } from "@vitrine/protocol/apps";
import { type Refusal, refuse } from "../errors/refusal.ts";
import type { TicketClaims } from "../identity/view-ticket.ts";
import type { Caller } from "./caller.ts";
import { BoundedList } from "./schemas/bounded-list.ts";
import type { ToolReview } from "./tool-approvals.ts";
import type { ToolDefinition } from "./tool-definition.ts";
import { toolHashOf } from "./tool-definition.ts";
import { type ToolSnapshot, ToolSnapshots } from "./tool-snapshots.ts";

/** The tools of a server that one caller can see. */
export interface Tools {
  /** The tool with a name if this caller may call it, otherwise a refusal. */
  callable(name: string, caller: Caller): { tool: ToolDefinition } | { refusal: Refusal };
  /** Whether the server lists a tool of that name, for any caller. */
  knows(name: string): boolean;
  /** The tools that show a View. */
  showing(uri: string): ToolDefinition[];
  /** Whether this caller sees the tool in `tools/list`. */
  isListed(name: string, caller: Caller): boolean;
  /** The tools that a View may call, for its ticket. */
  snapshot(): Promise<ToolSnapshot>;
  /** Whether an operator has to approve a definition before it is shown and called. */
  isHeld(tool: ToolDefinition): boolean;
  /** False if the server listed more than the gateway reads. The missing tools can't be called. */
  readonly isWhole: boolean;
}

/** The cached lists of a server. */
export interface Catalogue {
  tools(caller: Caller): Promise<Tools>;
  /** Whether the server lists a resource. */
  lists(uri: string, caller: Caller): Promise<boolean>;
  /** Drops cached lists after the server reported a change. */
  invalidate(list: "tools" | "resources" | "prompts" | "resource"): void;
}

/** Requests one page from a server. */
export type RequestPage = (
  method: "tools/list" | "resources/list",
  cursor: string | undefined,
  caller: Caller,
) => Promise<Record<string, unknown>>;

interface Kept<Value> {
  reading: Promise<Value>;
  until: number;
}

const UNREVIEWED: ToolReview = { observe: async () => {}, isHeld: () => false };
const PAGES = 64;
/** How much of a list is read: number of items, and characters of all items together. */
const MOST = {
  tools: { items: 2_000, characters: 4 * 2 ** 20 },
  resources: { items: 20_000, characters: 8 * 2 ** 20 },
} as const;
/**
 * Larger lists are cached longer, one millisecond per this many characters, so that they are read less often.
 */
const CHARACTERS_PER_MILLISECOND = 20;
/** Definitions that are hashed in one turn of the event loop. */
const HASHED_AT_ONCE = 16;
// Minimum cache time for servers that allow none, so that a burst of calls sends one request.
const SHORTEST = 1000;
const LONGEST = 5 * 60_000;
const CONTEXTS = 1000;

/** Caches the lists of one server. */
export function createCatalogue(
  requestPage: RequestPage,
  review: ToolReview = UNREVIEWED,
): Catalogue {
  const tools = new ListCache<Tools>();
  const snapshots = new ToolSnapshots();
  const resources = new ListCache<ReadonlySet<string>>();

  const readAll = async (
    method: "tools/list" | "resources/list",
    key: "tools" | "resources",
    caller: Caller,
  ): Promise<ReadList> => {
    const list = new BoundedList(MOST[key]);
    let cursor: string | undefined;
    let ttl = Infinity;
    let isPublic = true;
    for (let page = 0; page < PAGES && !list.isFull; page++) {
      const result = await requestPage(method, cursor, caller);
      list.add(result[key]);
      ttl = Math.min(ttl, typeof result.ttlMs === "number" ? result.ttlMs : 0);
      isPublic &&= result.cacheScope === "public";
      cursor = typeof result.nextCursor === "string" ? result.nextCursor : undefined;
      if (cursor === undefined) break;
    }
    const isWhole = cursor === undefined && list.isWhole;
    ttl = Math.max(ttl, list.characters / CHARACTERS_PER_MILLISECOND);
    return { items: list.items, isWhole, ttl, isPublic };
  };

  return {
    tools: async (caller) => {
      const found = await tools.get(caller, async () => {
        const { items, isWhole, ttl, isPublic } = await readAll("tools/list", "tools", caller);
        const definitions = items as unknown as ToolDefinition[];
        await review.observe(definitions);
        const value = createTools(definitions, { isWhole, snapshots, review });
        return { value, ttl, isPublic };
      });
      // A View's ticket is compared with the snapshot.
      if (caller.ticket) await found.snapshot();
      return found;
    },
    lists: async (uri, caller) => {
      const listed = await resources.get(caller, async () => {
        const { items, ttl, isPublic } = await readAll("resources/list", "resources", caller);
        return { value: new Set(items.map((item) => `${item?.uri}`)), ttl, isPublic };
      });
      return listed.has(uri);
    },
    invalidate: (list) => {
      if (list === "tools") tools.clear();
      if (list === "resources") resources.clear();
    },
  };
}

interface ReadList {
  items: Record<string, unknown>[];
  isWhole: boolean;
  ttl: number;
  isPublic: boolean;
}

/** Caches one list: one entry for everyone if it is public, otherwise one per user. */
class ListCache<Value> {
  readonly #kept = new Map<string, Kept<Value>>();

  async get(
    caller: Caller,
    read: () => Promise<{ value: Value; ttl: number; isPublic: boolean }>,
  ): Promise<Value> {
    const kept = this.#find(caller);
    if (kept) return kept.reading;
    // Concurrent readers share one request.
    const answer = read();
    const reading = answer.then(({ value }) => value);
    // Nobody else may be waiting; the failure is reported below.
    reading.catch(() => {});
    if (this.#kept.size >= CONTEXTS) this.#kept.clear();
    const mine: Kept<Value> = { reading, until: Infinity };
    const own = ownKey(caller);
    this.#kept.set(own, mine);
    try {
      const { ttl, isPublic, value } = await answer;
      mine.until = Date.now() + Math.min(Math.max(ttl, SHORTEST), LONGEST);
      // The entry may have been dropped while the list was read.
      if (isPublic && this.#kept.get(own) === mine) this.#kept.set(PUBLIC, mine);
      return value;
    } catch (error) {
      if (this.#kept.get(own) === mine) this.#kept.delete(own);
      throw error;
    }
  }

  clear(): void {
    this.#kept.clear();
  }

  #find(caller: Caller): Kept<Value> | undefined {
    const now = Date.now();
    const shared = this.#kept.get(PUBLIC);
    if (shared && shared.until > now) return shared;
    const own = this.#kept.get(ownKey(caller));
    return own && own.until > now ? own : undefined;
  }
}

const PUBLIC = "public";

function ownKey({ tenant, user }: Caller): string {
  return JSON.stringify([tenant, user]);
}

/** The definition of a tool, prepared once because every call needs it. */
interface Listed {
  tool: ToolDefinition;
  /** Every definition with this name. */
  all: readonly ToolDefinition[];
  forModel: boolean;
  forViews: boolean;
}

function viewOf(tool: ToolDefinition | null): unknown {
  const meta = Object(tool?._meta) as {
    ui?: { resourceUri?: unknown };
    "ui/resourceUri"?: unknown;
  };
  return meta.ui?.resourceUri ?? meta["ui/resourceUri"];
}

/** Reads tool definitions. A hostile server may send any shape. */
function createTools(
  definitions: readonly ToolDefinition[],
  {
    isWhole,
    snapshots,
    review,
  }: { isWhole: boolean; snapshots: ToolSnapshots; review: ToolReview },
): Tools {
  const byName = new Map<string, Listed>();
  for (const tool of definitions) {
    if (typeof tool?.name !== "string") continue;
    const first = byName.get(tool.name);
    // If a name is defined twice, a caller must be allowed to call both.
    byName.set(tool.name, {
      tool: first?.tool ?? tool,
      all: [...(first?.all ?? []), tool],
      forModel: first?.forModel !== false && isVisibleTo(tool, "model"),
      forViews: first?.forViews !== false && isVisibleTo(tool, "app"),
    });
  }
  let current: ToolSnapshot | undefined;
  let taking: Promise<ToolSnapshot> | undefined;
  /** Works in slices, because a large list would block the event loop. */
  const takeSnapshot = async (): Promise<ToolSnapshot> => {
    const hashes = new Map<string, string>();
    for (const [name, { tool, forViews }] of byName) {
      if (!forViews) continue;
      hashes.set(name, toolHashOf(tool));
      if (hashes.size % HASHED_AT_ONCE === 0) await setImmediate();
    }
    current = snapshots.keep(hashes);
    return current;
  };
  /** The snapshot that the View was opened with. Undefined if it is neither the current one nor remembered. */
  const approvedOf = ({ toolsHash }: TicketClaims): ToolSnapshot | undefined =>
    current?.hash === toolsHash ? current : snapshots.get(toolsHash);
  const find = (name: string, { party, ticket }: Caller): Listed | undefined => {
    const listed = byName.get(name);
    if (party === "model") return listed?.forModel ? listed : undefined;
    if (!listed?.forViews || !ticket) return listed?.forViews ? listed : undefined;
    // Without a snapshot, membership can't be decided, so `callable` refuses.
    return approvedOf(ticket)?.tools.has(name) === false ? undefined : listed;
  };
  const callable: Tools["callable"] = (name, caller) => {
    const found = find(name, caller);
    const tool = found?.tool;
    const shown = JSON.stringify(name.slice(0, 64));
    if (found?.all.some(review.isHeld)) {
      const message = `The tool ${shown} is new or was changed by its server. An operator has to approve it first.`;
      return { refusal: refuse("forbidden", message, { data: { tool: name } }) };
    }
    if (!tool) {
      return { refusal: refuse("unknown-tool", `There is no tool ${shown}. See tools/list.`) };
    }
    // The View was approved with a different definition of this tool (G136).
    const { ticket } = caller;
    if (ticket && approvedOf(ticket)?.tools.get(name) !== toolHashOf(tool)) {
      const message = `The tool ${JSON.stringify(name)} has changed since the view was opened. Open the view again.`;
      return { refusal: refuse("changed-since-approval", message, { data: { tool: name } }) };
    }
    return { tool };
  };

  return {
    isWhole,
    isHeld: review.isHeld,
    knows: (name) => byName.has(name),
    showing: (uri) => definitions.filter((tool) => viewOf(tool) === uri),
    isListed: (name, caller) => "tool" in callable(name, caller),
    callable,
    snapshot: () => {
      taking ??= takeSnapshot();
      return taking;
    },
  };
}
