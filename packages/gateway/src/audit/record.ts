// What the log says of a request, a call, a decision. The pipeline hands over an entry; what of it is kept
// depends on the level; nothing of it is kept before it went through `redaction.ts`.

import { quote } from "./ascii.ts";
import { keyedHash } from "./keyed-hash.ts";
import { redact, scrub } from "./redaction.ts";
import { SchemaMarks } from "./secret-schema.ts";

/** How much is kept: who did what, also the hash of the arguments, also redacted arguments and results. */
export type AuditLevel = "meta" | "digest" | "full";

/** What happened. */
export type AuditEvent =
  | "request" // a request or notification was let through or refused
  | "denials" // requests were refused like one before them, and counted
  | "answer" // the call that was let through ended
  | "view" // a View was opened, closed, or broke its policy
  | "consent" // a user allowed something, or took it back
  | "operator" // the gateway was started, configured, drained
  | "gap"; // records were dropped, by the log itself

/** Who did it. */
interface AuditActor {
  readonly tenant: string;
  /** Empty where denials of several users are counted together. */
  readonly user: string;
  readonly view?: string | undefined;
}

/** Denials that are counted in one record. */
interface AuditRepeats {
  readonly count: number;
  /** Times of the first and the last of them. */
  readonly from: string;
  readonly to: string;
}

/** Something to be recorded. Values of `arguments`, `answer` and `detail` are hostile. */
export interface AuditEntry {
  event: AuditEvent;
  actor?: AuditActor | undefined;
  server?: string | undefined;
  method?: string | undefined;
  tool?: string | undefined;
  /** What the pipeline decided, by which of its links, and why. */
  decision?: { verdict: "allow" | "deny"; link?: string; code?: string } | undefined;
  /** Bytes received from the caller and sent back. */
  sizes?: { received?: number; sent?: number } | undefined;
  /** As they were parsed. */
  arguments?: unknown;
  /**
   * There were arguments, and they must not be recorded: no schema says which of them are secret, because the
   * tool is unknown or they don't fit it.
   */
  withholdArguments?: boolean | undefined;
  /** Of the server, of which the result is kept; it is not read where it is not kept. */
  answer?: { readonly message?: object | undefined } | undefined;
  /** The tool's input schema: it may name secrets by `format: "password"` or `writeOnly`. */
  schema?: unknown;
  /** The tool's output schema. A result is not recorded if one of the two schemas names a secret. */
  outputSchema?: unknown;
  outcome?: { kind: string; code?: string | number | undefined } | undefined;
  /** Milliseconds. */
  duration?: number | undefined;
  /** W3C trace id, or whatever joins the records of one call. */
  trace?: string | undefined;
  detail?: Record<string, unknown> | undefined;
  /** Of the event `denials`. */
  repeats?: AuditRepeats | undefined;
  /** In place of the level of the log, such as for one tool. */
  level?: AuditLevel | undefined;
}

/** A record as it is stored. */
export interface AuditRecord {
  /** Rises by one within a process's life. */
  readonly sequence: number;
  /** ISO 8601 with milliseconds. */
  readonly time: string;
  readonly event: AuditEvent;
  readonly actor?: AuditActor;
  readonly server?: string;
  readonly method?: string;
  readonly tool?: string;
  readonly decision?: {
    readonly verdict: "allow" | "deny";
    readonly link?: string;
    readonly code?: string;
  };
  readonly sizes?: { readonly received?: number; readonly sent?: number };
  /**
   * SHA-256 of the arguments as JSON, their keys in the order received; HMAC if the log has a key for it. Not
   * there where the arguments are, whole.
   */
  readonly argumentsHash?: string;
  readonly arguments?: unknown;
  /** Neither the arguments nor their hash are recorded, because no schema says which of them are secret. */
  readonly argumentsWithheld?: true;
  readonly result?: unknown;
  /** The result is not recorded, because the tool's input or output schema names a secret. */
  readonly resultWithheld?: true;
  readonly outcome?: { readonly kind: string; readonly code?: string | number | undefined };
  readonly duration?: number;
  readonly trace?: string;
  readonly detail?: unknown;
  readonly repeats?: AuditRepeats;
  /** Of a record that a killed process left in its journal: which life made it, as which record. */
  readonly recovered?: { readonly epoch: number; readonly sequence: number };
}

export interface RecordOptions {
  sequence: number;
  time: string;
  level: AuditLevel;
  /** Makes hashes of arguments useless to who guesses them. */
  digestKey?: Uint8Array | undefined;
}

// What a caller names may be anything, so what is not short and plain is searched for secrets.
const PLAIN = /^[\w.:@/+-]{0,24}$/;
const LONGEST_NAME = 200;
const NO_MESSAGE = {};
const LONGEST_KNOWN = 64;
const MOST_KNOWN = 4_096;

/**
 * A record as one line of ASCII, without its end. Written by hand, because this is what each call pays:
 * building the object and giving it to `JSON.stringify` takes twice the time.
 */
export function encodeRecord(entry: AuditEntry, options: RecordOptions): string {
  const { event, actor, server, method, tool, decision, sizes, outcome, duration, trace } = entry;
  let line = `{"sequence":${options.sequence},"time":"${options.time}","event":"${event}"`;
  if (actor) line += actorText(actor);
  if (server !== undefined) line += `,"server":${nameText(server)}`;
  if (method !== undefined) line += `,"method":${askedText(method)}`;
  if (tool !== undefined) line += `,"tool":${askedText(tool)}`;
  if (decision) line += `,"decision":{${nameParts(decision, ["verdict", "link", "code"])}}`;
  if (sizes) line += sizesText(sizes);
  if (options.level !== "meta") line += bodies(entry, options);
  if (outcome) line += `,"outcome":{${nameParts(outcome, ["kind", "code"])}}`;
  if (duration !== undefined) line += `,"duration":${Math.round(duration * 1e3) / 1e3}`;
  if (trace !== undefined) line += `,"trace":${nameText(trace)}`;
  if (entry.repeats) line += `,"repeats":${JSON.stringify(entry.repeats)}`;
  if (entry.detail) line += `,"detail":${redact(entry.detail).json}`;
  return `${line}}`;
}

function bodies(entry: AuditEntry, options: RecordOptions): string {
  const { arguments: given, schema, withholdArguments, outputSchema } = entry;
  const { level, digestKey } = options;
  let line = "";
  if (withholdArguments) line += ',"argumentsWithheld":true';
  else if (given !== undefined) {
    const kept = level === "full" ? redact(given, schema) : undefined;
    // The hash stands for what is not there.
    const isWhole = kept?.redacted === 0 && !kept.cut;
    if (!isWhole) line += `,"argumentsHash":"${hashOf(given, digestKey)}"`;
    if (kept) line += `,"arguments":${kept.json}`;
  }
  const message = level === "full" ? entry.answer?.message : undefined;
  const { result } = (message ?? NO_MESSAGE) as { result?: unknown };
  if (result === undefined) return line;
  // A server may repeat a secret argument, and put a secret of its result into the text, where nothing marks it.
  if (SchemaMarks.of(schema) || SchemaMarks.of(outputSchema)) line += ',"resultWithheld":true';
  else line += `,"result":${redact(result).json}`;
  return line;
}

function hashOf(given: unknown, key: Uint8Array | undefined): string {
  let json: string;
  try {
    json = JSON.stringify(given) ?? "";
  } catch {
    // Nested deeper than the stack: no reader could check it either.
    return "unreadable";
  }
  return keyedHash(json, key);
}

function actorText({ tenant, user, view }: AuditActor): string {
  const seenIn = view === undefined ? "" : `,"view":${nameText(view)}`;
  return `,"actor":{"tenant":${nameText(tenant)},"user":${nameText(user)}${seenIn}}`;
}

function sizesText({ received, sent }: { received?: number; sent?: number }): string {
  if (received === undefined) return sent === undefined ? "" : `,"sizes":{"sent":${sent}}`;
  return `,"sizes":{"received":${received}${sent === undefined ? "" : `,"sent":${sent}`}}`;
}

function nameParts<Key extends string>(
  parts: { readonly [Part in Key]?: string | number | undefined },
  keys: readonly Key[],
): string {
  let line = "";
  for (const key of keys) {
    const value = parts[key];
    if (value === undefined) continue;
    const comma = line === "" ? "" : ",";
    line += `${comma}"${key}":${typeof value === "string" ? nameText(value) : Number(value)}`;
  }
  return line;
}

// Users, traces and the like were made by us or by who signed a token: ids that look random, and must stay.
const nameText = remembered((text) => quote(shortened(text)));

const askedText = remembered((text) => quote(PLAIN.test(text) ? text : scrub(shortened(text))));

function shortened(text: string): string {
  return text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME)}…` : text;
}

/** Names come again with each record: to find one costs a third of spelling it. */
function remembered(spell: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const spelled = spell(text);
    if (known.size >= MOST_KNOWN) known.clear();
    if (text.length <= LONGEST_KNOWN) known.set(text, spelled);
    return spelled;
  };
}
