// Users' consent by tenant, user, server and tool: once, or until revoked. Grants are stored in the engine's
// key-value store. A watch keeps this process's copy current, so that a call needs no lookup and a revocation
// takes effect everywhere within a second.

import { hashOf } from "../crypto/stable-hash.ts";
import type { Engine, Kv } from "../engine/engine.ts";
import { EngineError } from "../engine/engine-error.ts";
import type { Caller } from "./caller.ts";
import type { Exchange } from "./exchange.ts";
import { toolHashOf } from "./tool-definition.ts";

/** A user's consent to a tool. */
export interface Grant {
  server: string;
  tool: string;
  /** `once` for one call with these arguments, `always` for all calls. */
  scope: "once" | "always";
  /** Hash of the arguments, for `once`. */
  argumentsHash?: string;
  /** Hash of the approved definition. If the tool changes, consent is needed again (G136). */
  toolHash: string;
  /** Milliseconds since 1970. */
  expires?: number;
}

/** A grant that counts until it is revoked, and the user who gave it. */
export interface GivenGrant extends Grant {
  tenant: string;
  user: string;
  /** Milliseconds since 1970. */
  givenAt: number;
}

/** The grants of all users. */
export interface Grants {
  give(caller: Pick<Caller, "tenant" | "user">, grant: Grant): Promise<void>;
  revoke(
    caller: Pick<Caller, "tenant" | "user">,
    of: { server: string; tool: string },
  ): Promise<void>;
  list(caller: Pick<Caller, "tenant" | "user">): Promise<Grant[]>;
  /** The grants of all users that count until they are revoked. */
  all(): Promise<GivenGrant[]>;
  /** Revokes everything that a user has granted. Resolves to the number of grants. */
  revokeAll(caller: Pick<Caller, "tenant" | "user">): Promise<number>;
  /**
   * Whether the call is allowed. A grant for one call is consumed by the first caller that spends it. With
   * `isExact`, only a grant for exactly this call counts.
   */
  spend(exchange: Exchange, options?: { isExact?: boolean }): Promise<boolean>;
  close(): void;
}

const ONCE_TIME = 60_000;
const LONGEST_SILENCE = 60_000;
const SOON = 500;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The options of `createGrants`. */
export interface GrantsOptions {
  /** Milliseconds since the engine last responded. Set if other processes may revoke grants. */
  silence?: (() => number) | undefined;
}

/** Opens the grants in an engine. */
export function createGrants(engine: Engine, { silence = () => 0 }: GrantsOptions = {}): Grants {
  const permanent = engine.kv("grants", { durable: true });
  const single = engine.kv("grants-once", { ttl: ONCE_TIME });
  const known = new Map<string, Grant>();
  const { promise: isReady, resolve: onReady } = Promise.withResolvers<void>();
  const watched = createWatchWaiters();
  const stop = permanent.watch(
    ({ key, entry }) => {
      const grant = entry && read(entry.value);
      if (grant) known.set(key, grant);
      else known.delete(key);
      watched.notify(key);
    },
    { onReady },
  );

  return {
    give: async (caller, grant) => {
      const key = keyOf(caller, grant);
      if (grant.scope === "once") {
        // The value contains the expiry too, because the engine's own expiry doesn't apply if somebody writes
        // the value again.
        const once = {
          ...grant,
          expires: Math.min(grant.expires ?? Infinity, Date.now() + ONCE_TIME),
        };
        await single.put(`${key}.${grant.argumentsHash}`, encoder.encode(JSON.stringify(once)));
        return;
      }
      const { tenant, user } = caller;
      const given: GivenGrant = { ...grant, tenant, user, givenAt: Date.now() };
      const value = encoder.encode(JSON.stringify(given));
      // Wait for the watch instead of updating the copy here, because a revocation may follow immediately.
      const { isNotified, stop } = watched.next(key);
      await permanent.put(key, value).finally(stop);
      await isNotified;
    },
    revoke: async (caller, of) => {
      const key = keyOf(caller, of);
      known.delete(key);
      await permanent.delete(key);
      // Also revokes unused grants for one call.
      for await (const once of single.keys(`${key}.`)) await single.delete(once);
    },
    list: async (caller) => {
      const found: Grant[] = [];
      for await (const key of permanent.keys(userKey(caller))) {
        const entry = await permanent.get(key);
        const grant = entry && read(entry.value);
        if (grant) found.push(grant);
      }
      return found;
    },
    all: async () => {
      await isReady;
      return [...known.values()].filter((grant): grant is GivenGrant => "givenAt" in grant);
    },
    revokeAll: async (caller) => {
      const prefix = userKey(caller);
      let count = 0;
      for (const kv of [permanent, single]) {
        for await (const key of kv.keys(prefix)) {
          known.delete(key);
          await kv.delete(key);
          count += 1;
        }
      }
      return count;
    },
    spend: async ({ caller, server, tool, frame }, { isExact = false } = {}) => {
      if (!tool) return false;
      await isReady;
      const key = keyOf(caller, { server: server.id, tool: tool.name });
      const toolHash = toolHashOf(tool);
      const always = known.get(key);
      // Another process may have revoked the grant, so it can't be trusted for ever without contact to the
      // engine.
      if (silence() > LONGEST_SILENCE) return false;
      if (!isExact && always && isValid(always, toolHash, Date.now())) return true;
      const once = `${key}.${hashOf(frame.params?.arguments ?? {})}`;
      return spendOnce(single, once, { toolHash, now: Date.now() });
    },
    close: stop,
  };
}

/**
 * Lets `give` wait, for a short time, until this process's watch has the grant, so that it can be used at
 * once.
 */
function createWatchWaiters(): {
  notify(key: string): void;
  next(key: string): { isNotified: Promise<void>; stop(): void };
} {
  const waiting = new Map<string, Set<() => void>>();
  return {
    notify: (key) => {
      for (const resolve of waiting.get(key) ?? []) resolve();
    },
    next: (key) => {
      const { promise: isNotified, resolve } = Promise.withResolvers<void>();
      const those = waiting.get(key) ?? new Set();
      waiting.set(key, those.add(resolve));
      const leave = (): void => {
        those.delete(resolve);
        if (those.size === 0 && waiting.get(key) === those) waiting.delete(key);
      };
      void isNotified.then(leave);
      return { isNotified, stop: () => void setTimeout(resolve, SOON).unref() };
    },
  };
}

async function spendOnce(
  single: Kv,
  key: string,
  { toolHash, now }: { toolHash: string; now: number },
): Promise<boolean> {
  const entry = await single.get(key).catch((error: unknown) => {
    // If the engine can't confirm the grant, it doesn't exist.
    if (error instanceof EngineError) return undefined;
    throw error;
  });
  const grant = entry && read(entry.value);
  if (!grant || !isValid(grant, toolHash, now)) return false;
  // Compare and delete: if two processes find the grant, only one gets it (G146).
  return single.delete(key, entry.revision).then(
    () => true,
    () => false,
  );
}

function isValid(grant: Grant, toolHash: string, now: number): boolean {
  return grant.toolHash === toolHash && (grant.expires ?? Infinity) > now;
}

function userKey({ tenant, user }: Pick<Caller, "tenant" | "user">): string {
  return `${hashOf([tenant, user])}.`;
}

function keyOf(
  caller: Pick<Caller, "tenant" | "user">,
  { server, tool }: { server: string; tool: string },
): string {
  return `${userKey(caller)}${hashOf([server, tool])}`;
}

/** Undefined for a value that isn't a grant, so that nothing is allowed. */
function read(value: Uint8Array): Grant | undefined {
  try {
    return (JSON.parse(decoder.decode(value)) as Grant | null) ?? undefined;
  } catch {
    return undefined;
  }
}
