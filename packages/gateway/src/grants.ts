// What users allowed: (tenant, user, server, tool), once or until it is taken back. The engine's
// key-value store holds them; a watch keeps the answers of this process current, so that a call costs no
// look-up and a revocation counts everywhere within a second.

import type { Engine, Kv } from "./engine/engine.ts";
import { EngineError } from "./engine/errors.ts";
import type { Caller, Exchange } from "./pipeline/exchange.ts";
import { hashOf, toolHashOf } from "./stable-hash.ts";

/** A user's permission. */
export interface Grant {
  server: string;
  tool: string;
  /** For one call with these arguments, or for all to come. */
  scope: "once" | "always";
  /** Of the arguments, for `once`. */
  argumentsHash?: string;
  /** Of the tool's definition as it was approved: a tool that changed is asked about again (G136). */
  toolHash: string;
  /** Milliseconds since 1970. */
  expires?: number;
}

/** The grants of all users. */
export interface Grants {
  give(caller: Pick<Caller, "tenant" | "user">, grant: Grant): Promise<void>;
  revoke(
    caller: Pick<Caller, "tenant" | "user">,
    of: { server: string; tool: string },
  ): Promise<void>;
  list(caller: Pick<Caller, "tenant" | "user">): Promise<Grant[]>;
  /** Whether the call is allowed; a permission for one call is used up by it, whoever asks first. */
  spend(exchange: Exchange): Promise<boolean>;
  close(): void;
}

const ONCE_TIME = 60_000;
const LONGEST_SILENCE = 60_000;
const SOON = 500;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What grants need to know besides. */
export interface GrantsOptions {
  clock?: () => number;
  /** Milliseconds since the engine last answered, where others may take grants back. */
  silence?: (() => number) | undefined;
}

/** Opens the grants in an engine. */
export function createGrants(
  engine: Engine,
  { clock = Date.now, silence = () => 0 }: GrantsOptions = {},
): Grants {
  const lasting = engine.kv("grants", { durable: true });
  const single = engine.kv("grants-once", { ttl: ONCE_TIME });
  const known = new Map<string, Grant>();
  const { promise: isReady, resolve: onReady } = Promise.withResolvers<void>();
  const tell = createTelling();
  const stop = lasting.watch(
    ({ key, entry }) => {
      const grant = entry && read(entry.value);
      if (grant) known.set(key, grant);
      else known.delete(key);
      tell.told(key);
    },
    { onReady },
  );

  return {
    give: async (caller, grant) => {
      const key = keyOf(caller, grant);
      if (grant.scope === "once") {
        // In the value too: the engine's own expiry doesn't stop someone who writes the value again.
        const once = {
          ...grant,
          expires: Math.min(grant.expires ?? Infinity, clock() + ONCE_TIME),
        };
        await single.put(`${key}.${grant.argumentsHash}`, encoder.encode(JSON.stringify(once)));
        return;
      }
      const value = encoder.encode(JSON.stringify(grant));
      // Only the watch says what is known: a revocation right behind may be all that it tells.
      const { isTold, stop } = tell.next(key);
      await lasting.put(key, value).finally(stop);
      await isTold;
    },
    revoke: async (caller, of) => {
      const key = keyOf(caller, of);
      known.delete(key);
      await lasting.delete(key);
      // What was allowed once and not used yet is taken back too.
      for await (const once of single.keys(`${key}.`)) await single.delete(once);
    },
    list: async (caller) => {
      const found: Grant[] = [];
      for await (const key of lasting.keys(userKey(caller))) {
        const entry = await lasting.get(key);
        const grant = entry && read(entry.value);
        if (grant) found.push(grant);
      }
      return found;
    },
    spend: async ({ caller, server, tool, frame }) => {
      if (!tool) return false;
      await isReady;
      const key = keyOf(caller, { server: server.id, tool: tool.name });
      const toolHash = toolHashOf(tool);
      const always = known.get(key);
      // It may have been taken back elsewhere, and who cannot hear of it may not go on for ever.
      if (silence() > LONGEST_SILENCE) return false;
      if (always && isValid(always, toolHash, clock())) return true;
      const once = `${key}.${hashOf(frame.params?.arguments ?? {})}`;
      return spendOnce(single, once, { toolHash, now: clock() });
    },
    close: stop,
  };
}

/** Who gives a grant may use it right away: it waits until this process has heard of it, if that is soon. */
function createTelling(): {
  told(key: string): void;
  next(key: string): { isTold: Promise<void>; stop(): void };
} {
  const waiting = new Map<string, Set<() => void>>();
  return {
    told: (key) => {
      for (const resolve of waiting.get(key) ?? []) resolve();
    },
    next: (key) => {
      const { promise: isTold, resolve } = Promise.withResolvers<void>();
      const those = waiting.get(key) ?? new Set();
      waiting.set(key, those.add(resolve));
      const leave = (): void => {
        those.delete(resolve);
        if (those.size === 0 && waiting.get(key) === those) waiting.delete(key);
      };
      void isTold.then(leave);
      return { isTold, stop: () => void setTimeout(resolve, SOON).unref() };
    },
  };
}

async function spendOnce(
  single: Kv,
  key: string,
  { toolHash, now }: { toolHash: string; now: number },
): Promise<boolean> {
  const entry = await single.get(key).catch((error: unknown) => {
    // Nobody can say that it was given: then it was not.
    if (error instanceof EngineError) return undefined;
    throw error;
  });
  const grant = entry && read(entry.value);
  if (!grant || !isValid(grant, toolHash, now)) return false;
  // Compare and delete: of two that found it, in whatever process, one gets it (G146).
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

/** Nothing for a value that isn't a grant: then nothing was allowed. */
function read(value: Uint8Array): Grant | undefined {
  try {
    return (JSON.parse(decoder.decode(value)) as Grant | null) ?? undefined;
  } catch {
    return undefined;
  }
}
