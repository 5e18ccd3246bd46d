// What users allowed: (tenant, user, server, tool), once or until it is taken back. The engine's
// key-value store holds them; a watch keeps the answers of this process current, so that a call costs no
// look-up and a revocation counts everywhere within a second.

import type { Engine, Kv } from "./engine/engine.ts";
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
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Opens the grants in an engine. */
export function createGrants(engine: Engine, clock: () => number = Date.now): Grants {
  const lasting = engine.kv("grants", { durable: true });
  const single = engine.kv("grants-once", { ttl: ONCE_TIME });
  const known = new Map<string, Grant>();
  const { promise: isReady, resolve: onReady } = Promise.withResolvers<void>();
  const stop = lasting.watch(
    ({ key, entry }) => {
      if (entry) known.set(key, read(entry.value));
      else known.delete(key);
    },
    { onReady },
  );

  return {
    give: async (caller, grant) => {
      const key = keyOf(caller, grant);
      const value = encoder.encode(JSON.stringify(grant));
      if (grant.scope === "always") await lasting.put(key, value);
      else await single.put(`${key}.${grant.argumentsHash}`, value);
      if (grant.scope === "always") known.set(key, grant);
    },
    revoke: async (caller, of) => {
      const key = keyOf(caller, of);
      known.delete(key);
      await lasting.delete(key);
    },
    list: async (caller) => {
      const found: Grant[] = [];
      for await (const key of lasting.keys(userKey(caller))) {
        const entry = await lasting.get(key);
        if (entry) found.push(read(entry.value));
      }
      return found;
    },
    spend: async ({ caller, server, tool, frame }) => {
      if (!tool) return false;
      await isReady;
      const key = keyOf(caller, { server: server.id, tool: tool.name });
      const toolHash = toolHashOf(tool);
      const always = known.get(key);
      if (always && isValid(always, toolHash, clock())) return true;
      return spendOnce(single, `${key}.${hashOf(frame.params?.arguments ?? {})}`, toolHash);
    },
    close: stop,
  };
}

async function spendOnce(single: Kv, key: string, toolHash: string): Promise<boolean> {
  const entry = await single.get(key);
  if (!entry || !isValid(read(entry.value), toolHash, 0)) return false;
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

function read(value: Uint8Array): Grant {
  return JSON.parse(decoder.decode(value)) as Grant;
}
