// Calls that wait for an administrator. An approval is for one call: this user, this tool as it is defined now,
// and exactly these arguments. They are stored in the engine's key-value store, and a watch keeps this process's
// copy current, so that an approval at any gateway counts at all of them.

import { redact } from "../audit/redaction.ts";
import { hashOf } from "../crypto/stable-hash.ts";
import type { Engine, Entry, Kv } from "../engine/engine.ts";
import { EngineError } from "../engine/engine-error.ts";
import type { Exchange } from "./exchange.ts";
import { toolHashOf } from "./tool-definition.ts";

/** A call that waits, or that was decided and not repeated yet. */
export interface PendingApproval {
  readonly id: string;
  readonly tenant: string;
  readonly user: string;
  readonly party: "model" | "view";
  readonly server: string;
  readonly tool: string;
  /** The redacted arguments as JSON, shortened. */
  readonly preview: string;
  readonly policies: readonly string[];
  /** Milliseconds since 1970. */
  readonly requestedAt: number;
  readonly expires: number;
  readonly state: "pending" | "approved" | "rejected";
  /** The administrator who decided. */
  readonly by?: string;
}

/** What an administrator has decided about a call. */
export type ApprovalState =
  | { state: "approved"; by: string }
  | { state: "pending" | "rejected"; id: string; expires: number }
  /** Too many calls of the user or the tenant already wait. */
  | { state: "full" };

/** The calls of all users that wait for an administrator. */
export interface PendingApprovals {
  /** Uses up the approval of exactly this call, or lets the call wait. */
  ask(exchange: Exchange): Promise<ApprovalState>;
  /** The calls that wait, oldest first. */
  list(): Promise<PendingApproval[]>;
  /** Resolves to the call, or to undefined if there is none that waits. */
  approve(id: string, options: { by: string }): Promise<PendingApproval | undefined>;
  reject(id: string, options: { by: string }): Promise<PendingApproval | undefined>;
  close(): void;
}

const HOUR = 3_600_000;
/** How long a call waits, and how long the decision counts. */
const WAITING_TIME = 8 * HOUR;
const DECIDED_TIME = HOUR;
const MOST_OF_USER = 20;
const MOST_OF_TENANT = 1000;
const MOST = 20_000;
const LONGEST_PREVIEW = 2000;
const LONGEST_NAME = 200;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Opens the waiting calls in an engine. */
export function createPendingApprovals(engine: Engine): PendingApprovals {
  const bucket = engine.kv("pending-approvals", { durable: true, ttl: WAITING_TIME });
  const known = new Map<string, PendingApproval>();
  const { promise: isReady, resolve: onReady } = Promise.withResolvers<void>();
  const stop = bucket.watch(
    ({ key, entry }) => {
      const found = entry && read(entry);
      if (found) known.set(key, found);
      else known.delete(key);
    },
    { onReady },
  );
  const waiting = (): PendingApproval[] => {
    const now = Date.now();
    return [...known.values()].filter((one) => one.state === "pending" && one.expires > now);
  };

  const decide = async (
    id: string,
    { state, by }: { state: "approved" | "rejected"; by: string },
  ): Promise<PendingApproval | undefined> => {
    const entry = await find(bucket, id);
    const found = entry && read(entry);
    if (!entry || found?.state !== "pending") return undefined;
    const decided = { ...found, state, by, expires: Date.now() + DECIDED_TIME };
    // If two administrators decide at once, the first decision stays.
    const isFirst = await bucket.update(id, encode(decided), entry.revision).then(
      () => true,
      (error: unknown) => !isCode(error, "conflict"),
    );
    return isFirst ? decided : undefined;
  };

  return {
    ask: async (exchange) => {
      await isReady;
      const id = idOf(exchange);
      const entry = await find(bucket, id);
      const found = entry && read(entry);
      if (found && found.state !== "approved") {
        const { state, expires } = found;
        return { state, id, expires };
      }
      if (entry && found && (await isSpent(bucket, entry))) {
        return { state: "approved", by: found.by ?? "" };
      }
      if (isFull(waiting(), exchange)) return { state: "full" };
      const pending = pendingOf(exchange, id);
      await store(bucket, pending, found ? undefined : entry);
      return { state: "pending", id, expires: pending.expires };
    },
    list: async () => {
      await isReady;
      return waiting().sort((a, b) => a.requestedAt - b.requestedAt);
    },
    approve: (id, { by }) => decide(id, { state: "approved", by }),
    reject: (id, { by }) => decide(id, { state: "rejected", by }),
    close: stop,
  };
}

/** Compare and delete: if the call is repeated at two gateways, one of them makes it. */
async function isSpent(bucket: Kv, { key, revision }: Entry): Promise<boolean> {
  return bucket.delete(key, revision).then(
    () => true,
    (error: unknown) => !isCode(error, "conflict"),
  );
}

/** Replaces an expired call. If another gateway added the same call, it already waits. */
async function store(bucket: Kv, pending: PendingApproval, old: Entry | undefined): Promise<void> {
  const value = encode(pending);
  const stored = old
    ? bucket.update(pending.id, value, old.revision)
    : bucket.create(pending.id, value);
  await stored.catch((error: unknown) => isCode(error, old ? "conflict" : "exists"));
}

/** One user can't fill the list of a tenant, and one tenant can't fill the store. */
function isFull(waiting: readonly PendingApproval[], { caller }: Exchange): boolean {
  const ofTenant = waiting.filter(({ tenant }) => tenant === caller.tenant);
  const ofUser = ofTenant.filter(({ user }) => user === caller.user);
  return (
    ofUser.length >= MOST_OF_USER || ofTenant.length >= MOST_OF_TENANT || waiting.length >= MOST
  );
}

/** The same call has the same id, so that repeating it doesn't add another. */
function idOf({ caller: { tenant, user, party }, server, tool, frame }: Exchange): string {
  const given = frame.params?.arguments ?? {};
  const hash = tool && toolHashOf(tool);
  return hashOf([tenant, user, party, server.id, tool?.name, hash, given]);
}

function pendingOf(exchange: Exchange, id: string): PendingApproval {
  const { caller, server, tool, frame, access } = exchange;
  const { tenant, user, party } = caller;
  const requestedAt = Date.now();
  const { value } = redact(frame.params?.arguments ?? {}, tool?.inputSchema);
  return {
    ...{ id, tenant, user, party, server: server.id, requestedAt, state: "pending" },
    tool: `${tool?.name}`.slice(0, LONGEST_NAME),
    preview: shortened(JSON.stringify(value)),
    policies: (access?.policies ?? []).slice(0, 10),
    expires: requestedAt + WAITING_TIME,
  };
}

function shortened(text: string): string {
  return text.length > LONGEST_PREVIEW ? `${text.slice(0, LONGEST_PREVIEW)}…` : text;
}

/** An id from an administrator may be anything. */
async function find(bucket: Kv, id: string): Promise<Entry | undefined> {
  if (!/^[\w-]{43}$/.test(id)) return undefined;
  return bucket.get(id);
}

/** Undefined for a value that isn't valid or has expired, so that nothing is approved. */
function read({ value }: Entry): PendingApproval | undefined {
  try {
    const found = JSON.parse(decoder.decode(value)) as PendingApproval | null;
    return found && found.expires > Date.now() ? found : undefined;
  } catch {
    return undefined;
  }
}

function encode(value: PendingApproval): Uint8Array {
  return encoder.encode(JSON.stringify(value));
}

/** True for an expected error; throws any other. */
function isCode(error: unknown, code: EngineError["code"]): boolean {
  if (error instanceof EngineError && error.code === code) return true;
  throw error;
}
