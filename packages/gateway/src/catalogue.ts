// What a server offers, kept for as long as the server says so, in the context it was given in: a private
// list is never another user's (GW-10). Keyed by the gateway's own name for the server, because what a
// server calls itself may be another's name.

import { setImmediate } from "node:timers/promises";
import { isVisibleTo } from "@vitrine/protocol/apps";
import type { TicketClaims } from "./identity/view-ticket.ts";
import type { Caller, ToolDefinition } from "./pipeline/exchange.ts";
import { type Refusal, refuse } from "./pipeline/refusal.ts";
import { BoundedList } from "./schemas/bounded-list.ts";
import { toolHashOf } from "./stable-hash.ts";
import { type ToolSnapshot, ToolSnapshots } from "./tool-snapshots.ts";

/** The tools of a server as one caller finds them. */
export interface Tools {
  /** The tool under a name, if this caller may call it; for any other it does not exist. */
  callable(name: string, caller: Caller): { tool: ToolDefinition } | { refusal: Refusal };
  /** Whether the server had a tool of that name, whoever may call it. */
  knows(name: string): boolean;
  /** What of a page of `tools/list` this caller is shown. */
  isListed(name: string, caller: Caller): boolean;
  /** Those that a View may call, for its ticket. */
  snapshot(): Promise<ToolSnapshot>;
  /** Whether that has been worked out, without which nothing can be said of a View's ticket. */
  readonly hasSnapshot: boolean;
  /** False if the server listed more than the gateway reads; what is missing can't be called. */
  readonly isWhole: boolean;
}

/** What is known of a server's lists. */
export interface Catalogue {
  tools(caller: Caller): Promise<Tools>;
  /** The same, if it is here. */
  known(caller: Caller): Tools | undefined;
  /** Whether the server lists a resource. */
  lists(uri: string, caller: Caller): Promise<boolean>;
  /** Forgets what it knows, because the server said that it changed. */
  invalidate(list: "tools" | "resources" | "prompts" | "resource"): void;
}

/** Asks a server for one page. */
export type AskForPage = (
  method: "tools/list" | "resources/list",
  cursor: string | undefined,
  caller: Caller,
) => Promise<Record<string, unknown>>;

interface Kept<Value> {
  reading: Promise<Value>;
  /** Once it is there. */
  value?: Value;
  until: number;
}

const PAGES = 64;
/** How much of a list is read: items, and characters of all of them together. */
const MOST = {
  tools: { items: 2_000, characters: 4 * 2 ** 20 },
  resources: { items: 20_000, characters: 8 * 2 ** 20 },
} as const;
/** A large list is kept for longer, a millisecond for so many characters, so that reading it stays rare. */
const CHARACTERS_PER_MILLISECOND = 20;
/** Definitions that are hashed between two turns of the event loop. */
const HASHED_AT_ONCE = 16;
// A server that gives no time is asked again soon: a burst of calls is one question.
const SHORTEST = 1000;
const LONGEST = 5 * 60_000;
const CONTEXTS = 1000;

/** Keeps the lists of one server. */
export function createCatalogue(ask: AskForPage, clock: () => number = Date.now): Catalogue {
  const tools = new Shelf<Tools>(clock);
  const snapshots = new ToolSnapshots();
  const resources = new Shelf<ReadonlySet<string>>(clock);

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
      const result = await ask(method, cursor, caller);
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
    known: (caller) => {
      const found = tools.peek(caller);
      return !caller.ticket || found?.hasSnapshot ? found : undefined;
    },
    tools: async (caller) => {
      const found = await tools.get(caller, async () => {
        const { items, isWhole, ttl, isPublic } = await readAll("tools/list", "tools", caller);
        const definitions = items as unknown as ToolDefinition[];
        return { value: createTools(definitions, { isWhole, snapshots }), ttl, isPublic };
      });
      // A View's ticket is compared with it.
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

/** One list, once for everybody if it is public, else once for each user. */
class Shelf<Value> {
  readonly #clock: () => number;
  readonly #kept = new Map<string, Kept<Value>>();

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  async get(
    caller: Caller,
    read: () => Promise<{ value: Value; ttl: number; isPublic: boolean }>,
  ): Promise<Value> {
    const kept = this.#find(caller);
    if (kept) return kept.reading;
    // Single flight: whoever comes meanwhile waits for the same answer.
    const answer = read();
    const reading = answer.then(({ value }) => value);
    // Perhaps nobody else comes; that it failed is told below.
    reading.catch(() => {});
    if (this.#kept.size >= CONTEXTS) this.#kept.clear();
    const mine: Kept<Value> = { reading, until: Infinity };
    const own = ownKey(caller);
    this.#kept.set(own, mine);
    try {
      const { ttl, isPublic, value } = await answer;
      mine.value = value;
      mine.until = this.#clock() + Math.min(Math.max(ttl, SHORTEST), LONGEST);
      // It may have been forgotten while it was read.
      if (isPublic && this.#kept.get(own) === mine) this.#kept.set(PUBLIC, mine);
      return value;
    } catch (error) {
      if (this.#kept.get(own) === mine) this.#kept.delete(own);
      throw error;
    }
  }

  peek(caller: Caller): Value | undefined {
    return this.#find(caller)?.value;
  }

  clear(): void {
    this.#kept.clear();
  }

  #find(caller: Caller): Kept<Value> | undefined {
    const now = this.#clock();
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

/** What is known of the tool under a name; worked out once, because each call asks. */
interface Listed {
  tool: ToolDefinition;
  forModel: boolean;
  forViews: boolean;
}

/** Reads definitions, which a hostile server may have made in any shape. */
function createTools(
  definitions: readonly ToolDefinition[],
  { isWhole, snapshots }: { isWhole: boolean; snapshots: ToolSnapshots },
): Tools {
  const byName = new Map<string, Listed>();
  for (const tool of definitions) {
    if (typeof tool?.name !== "string") continue;
    const first = byName.get(tool.name);
    // A name that is defined twice is open to those only who may have both.
    byName.set(tool.name, {
      tool: first?.tool ?? tool,
      forModel: first?.forModel !== false && isVisibleTo(tool, "model"),
      forViews: first?.forViews !== false && isVisibleTo(tool, "app"),
    });
  }
  let current: ToolSnapshot | undefined;
  let taking: Promise<ToolSnapshot> | undefined;
  /** In turns: a server may list a lot, and others wait for the event loop. */
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
  /** What the View was opened with; nothing if that is neither the present list nor known here. */
  const approvedOf = ({ toolsHash }: TicketClaims): ToolSnapshot | undefined =>
    current?.hash === toolsHash ? current : snapshots.get(toolsHash);
  const find = (name: string, { party, ticket }: Caller): Listed | undefined => {
    const listed = byName.get(name);
    if (party === "model") return listed?.forModel ? listed : undefined;
    if (!listed?.forViews || !ticket) return listed?.forViews ? listed : undefined;
    // Without the snapshot nobody can say whether it was in it; `callable` refuses it then.
    return approvedOf(ticket)?.tools.has(name) === false ? undefined : listed;
  };
  const callable: Tools["callable"] = (name, caller) => {
    const tool = find(name, caller)?.tool;
    if (!tool) {
      const shown = JSON.stringify(name.slice(0, 64));
      return { refusal: refuse("unknown-tool", `There is no tool ${shown}; see tools/list.`) };
    }
    // The View was approved with another tool under this name (G136).
    const { ticket } = caller;
    if (ticket && approvedOf(ticket)?.tools.get(name) !== toolHashOf(tool)) {
      const message = `The tool ${JSON.stringify(name)} has changed since the view was opened.`;
      return { refusal: refuse("changed-since-approval", message, { data: { tool: name } }) };
    }
    return { tool };
  };

  return {
    isWhole,
    knows: (name) => byName.has(name),
    get hasSnapshot() {
      return current !== undefined;
    },
    isListed: (name, caller) => "tool" in callable(name, caller),
    callable,
    snapshot: () => {
      taking ??= takeSnapshot();
      return taking;
    },
  };
}
