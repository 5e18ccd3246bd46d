// Checks arguments against a schema. Both may be hostile: a schema may be huge, refer to the network, or
// never finish. Simple schemas are checked here, within a budget. Others are checked in a worker thread with
// a deadline. A schema that exceeds it isn't tried again for a while: calls of that tool are rejected, and
// other tools continue to work.

import { SchemaPool } from "./schemas/schema-pool.ts";
import { checkSimple, UNSURE } from "./schemas/simple-check.ts";
import { Strikes } from "./schemas/strikes.ts";

/** A value to check, with its owner. */
export interface SchemaSubject {
  schema: unknown;
  value: unknown;
  server: string;
  tool: string;
  tenant: string;
  user: string;
  /** Whether the caller cancelled the call. */
  signal?: { readonly aborted: boolean };
}

/** Why a value is rejected. */
export type SchemaFinding =
  | { kind: "mistake"; message: string }
  /** The schema took too long, now or recently. */
  | { kind: "exceeded"; retryAfter: number }
  /** Too many checks are waiting, or no thread can be started. */
  | { kind: "busy" };

/** Checks arguments. */
export interface SchemaCheck {
  /** Returns nothing if the value matches, or if the schema is invalid and so can't be checked. */
  check(subject: SchemaSubject): SchemaFinding | undefined | Promise<SchemaFinding | undefined>;
  /** Ends the threads. Idempotent. */
  close(): Promise<void>;
}

export interface SchemaCheckOptions {
  /** Milliseconds until a schema that took too long is tried again. */
  period?: number;
}

const LARGEST_SCHEMA = 64 * 1024;
/** A value this small can't be the reason that a check is slow. */
const SMALL_VALUE = 256;
const REMEMBERED = 4096;

// How often a check may take too long before further checks are refused. A caller may choose a slow value, so
// one caller must not be able to block a tool for others. Several tenants together can.
const OF_CALLER = 1;
const OF_SCHEMA = 1;
const OF_TENANT = 3;
const OF_SERVER = 8;

/** Creates a check. Its threads start when the first schema needs one. */
export function createSchemaCheck({ period = 60_000 }: SchemaCheckOptions = {}): SchemaCheck {
  const pool = new SchemaPool();
  const strikes = new Strikes({ period, most: REMEMBERED, clock: Date.now });
  // Keyed by identity: definitions live as long as the list they came in.
  const texts = new WeakMap<object, { text: string | undefined }>();

  const textOf = (schema: object): string | undefined => {
    let known = texts.get(schema);
    if (!known) {
      known = { text: checkableText(schema) };
      texts.set(schema, known);
    }
    return known.text;
  };

  const blockedFor = (keys: StrikeKeys): number | undefined =>
    strikes.timeLeft(keys.caller, OF_CALLER) ??
    strikes.timeLeft(keys.schema, OF_SCHEMA) ??
    strikes.timeLeft(keys.tenant, OF_TENANT) ??
    strikes.timeLeft(keys.server, OF_SERVER);

  const strike = (keys: StrikeKeys, isSchemaAtFault: boolean): void => {
    for (const key of [keys.caller, keys.tenant, keys.server]) strikes.add(key);
    if (isSchemaAtFault) strikes.add(keys.schema);
  };

  const checkInThread = async (
    schema: string,
    subject: SchemaSubject,
  ): Promise<SchemaFinding | undefined> => {
    const keys = keysOf(subject);
    const blocked = blockedFor(keys);
    if (blocked !== undefined) return exceeded(blocked);
    const value = JSON.stringify(subject.value);
    const outcome = await pool.run({
      schema,
      value,
      lane: subject.tenant,
      isWanted: () => blockedFor(keys) === undefined && !subject.signal?.aborted,
    });
    if (outcome.kind === "checked") return mistake(outcome.mistake);
    if (outcome.kind === "exceeded") {
      strike(keys, outcome.phase === "compile" || value.length <= SMALL_VALUE);
    }
    const left = blockedFor(keys);
    return left === undefined ? { kind: "busy" } : exceeded(left);
  };

  return {
    check: (subject) => {
      const { schema, value } = subject;
      if (typeof schema !== "object" || schema === null) return undefined;
      const simple = checkSimple(schema, value);
      if (simple !== UNSURE) return mistake(simple);
      const text = textOf(schema);
      return text === undefined ? undefined : checkInThread(text, subject);
    },
    close: () => pool.close(),
  };
}

interface StrikeKeys {
  caller: string;
  schema: string;
  tenant: string;
  server: string;
}

function keysOf({ server, tool, tenant, user }: SchemaSubject): StrikeKeys {
  return {
    caller: JSON.stringify(["caller", server, tool, tenant, user]),
    schema: JSON.stringify(["schema", server, tool]),
    tenant: JSON.stringify(["tenant", server, tenant]),
    server: JSON.stringify(["server", server]),
  };
}

function mistake(message: string | undefined): SchemaFinding | undefined {
  return message === undefined ? undefined : { kind: "mistake", message };
}

function exceeded(milliseconds: number): SchemaFinding {
  return { kind: "exceeded", retryAfter: Math.max(1, Math.ceil(milliseconds / 1000)) };
}

/** The schema as JSON. Undefined if it is huge or refers to the network. */
function checkableText(schema: object): string | undefined {
  try {
    const text = JSON.stringify(schema);
    const isFit = text.length <= LARGEST_SCHEMA && !/"\$(dynamic)?ref":"(?!#)/i.test(text);
    return isFit ? text : undefined;
  } catch {
    // Nested too deeply.
    return undefined;
  }
}
