// Arguments against a schema. Both come from parties that need not mean well: a schema may be huge, refer to
// the network, or take for ever. Simple schemas are checked here, within a budget. All others are checked in
// a worker thread, with a deadline. A schema that exceeds it is not tried again for a while: calls of that
// tool are rejected, and all others go on.

import { SchemaPool, type SchemaPoolOptions } from "../schemas/schema-pool.ts";
import { checkSimple, UNSURE } from "../schemas/simple-check.ts";
import { Strikes } from "../schemas/strikes.ts";

/** A value to be checked, and whose it is. */
export interface SchemaSubject {
  schema: unknown;
  value: unknown;
  server: string;
  tool: string;
  tenant: string;
  user: string;
  /** Whether the caller gave up. */
  signal?: { readonly aborted: boolean };
}

/** Why a value is rejected. */
export type SchemaFinding =
  | { kind: "mistake"; message: string }
  /** The schema took too long, now or a moment ago. */
  | { kind: "exceeded"; retryAfter: number }
  /** Too many checks wait, or none can be made. */
  | { kind: "busy" };

/** Checks arguments. */
export interface SchemaCheck {
  /** Nothing if the value fits, or can't be checked because its schema isn't one. */
  check(subject: SchemaSubject): SchemaFinding | undefined | Promise<SchemaFinding | undefined>;
  /** Ends the threads; idempotent. */
  close(): Promise<void>;
}

export interface SchemaCheckOptions extends SchemaPoolOptions {
  /** Milliseconds for which a schema that took too long is not tried again. */
  period?: number;
  clock?: () => number;
}

const LARGEST_SCHEMA = 64 * 1024;
/** A value this small can't be what made a check slow. */
const SMALL_VALUE = 256;
const REMEMBERED = 4096;

// How often a check may take too long before no other is tried. A caller may choose the value that makes it
// slow, so that one caller must not be able to block a tool for others. Several tenants together can.
const OF_CALLER = 1;
const OF_SCHEMA = 1;
const OF_TENANT = 3;
const OF_SERVER = 8;

/** Makes a check; its threads are started when the first schema needs one. */
export function createSchemaCheck(options: SchemaCheckOptions = {}): SchemaCheck {
  const { period = 60_000, clock = Date.now, ...poolOptions } = options;
  const pool = new SchemaPool(poolOptions);
  const strikes = new Strikes({ period, most: REMEMBERED, clock });
  // By identity: definitions live as long as the catalogue they came in.
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

/** The schema as JSON; nothing if it is huge or refers to the network. */
function checkableText(schema: object): string | undefined {
  try {
    const text = JSON.stringify(schema);
    const isFit = text.length <= LARGEST_SCHEMA && !/"\$(dynamic)?ref":"(?!#)/i.test(text);
    return isFit ? text : undefined;
  } catch {
    // Too deep.
    return undefined;
  }
}
