// An audit record of a request, call or decision. The pipeline passes an entry. The level determines what is
// kept, and everything kept goes through `redaction.ts` first.

import { keyedHash } from "../crypto/keyed-hash.ts";
import { toAscii } from "./ascii.ts";
import { redact } from "./redaction.ts";
import { SchemaMarks } from "./secret-schema.ts";
import { scrub } from "./secret-text.ts";

/** How much is kept: who did what; also the hash of the arguments; also redacted arguments and results. */
export type AuditLevel = "meta" | "digest" | "full";

/** What a record is about. */
export type AuditEvent =
  | "request" // a request or notification was allowed or refused
  | "denials" // a count of refused requests that resemble an earlier one
  | "answer" // an allowed call ended
  | "view" // a View was opened, closed, or broke its policy
  | "consent" // a user gave or revoked consent
  | "receipt" // a host's page reported what a View did in the page; the gateway can't verify it
  | "operator" // the gateway was started, configured, drained
  | "gap"; // the log dropped records

/** The user behind a record. */
interface AuditActor {
  readonly tenant: string;
  /** Empty if denials of several users are counted together. */
  readonly user: string;
  readonly view?: string | undefined;
  /** Of the client, or of a proxy that isn't trusted. */
  readonly address?: string | undefined;
}

/** The facts about a caller that policies read, so that other policies can be tried on past calls. */
interface AuditCaller {
  readonly party: "model" | "view";
  /** The groups in the user's token. Absent if there are none. */
  readonly groups?: readonly string[] | undefined;
  readonly issuer?: string | undefined;
  /** The address of the view. */
  readonly viewUri?: string | undefined;
}

/** Denials that are counted in one record. */
interface AuditRepeats {
  readonly count: number;
  /** Times of the first and the last of them. */
  readonly from: string;
  readonly to: string;
}

/** A decision of the pipeline. */
interface AuditDecision {
  readonly verdict: "allow" | "deny";
  readonly link?: string | undefined;
  readonly code?: string | undefined;
  /** The ids of the policies that decided. */
  readonly policies?: string | undefined;
  /** What the policies would have decided, while they only observe. */
  readonly observed?: string | undefined;
  /** The person who had to approve the call: `user` or `admin`. */
  readonly approval?: string | undefined;
  /** The administrator who approved it. */
  readonly approvedBy?: string | undefined;
}

/** An event to record. Values of `arguments`, `answer` and `detail` are hostile. */
export interface AuditEntry {
  event: AuditEvent;
  actor?: AuditActor | undefined;
  caller?: AuditCaller | undefined;
  server?: string | undefined;
  method?: string | undefined;
  tool?: string | undefined;
  /** The tool's hints as policies read them, joined by commas. */
  hints?: string | undefined;
  /** The pipeline's decision, the check that made it, and the reason. */
  decision?: AuditDecision | undefined;
  /** Bytes received from the caller and sent back. */
  sizes?: { received?: number; sent?: number } | undefined;
  /** The parsed arguments. */
  arguments?: unknown;
  /**
   * The call had arguments that must not be recorded: no schema marks the secrets among them, because the
   * tool is unknown or they don't match its schema.
   */
  withholdArguments?: boolean | undefined;
  /** The server's response. Its result is recorded, depending on the level. */
  answer?: { readonly message?: object | undefined } | undefined;
  /** The tool's input schema. It may mark secrets with `format: "password"` or `writeOnly`. */
  schema?: unknown;
  /** The tool's output schema. A result isn't recorded if either schema marks a secret. */
  outputSchema?: unknown;
  outcome?: { kind: string; code?: string | number | undefined } | undefined;
  /** Milliseconds. */
  duration?: number | undefined;
  /** W3C trace id, or another id that joins the records of one call. */
  trace?: string | undefined;
  detail?: Record<string, unknown> | undefined;
  /** For the event `denials`. */
  repeats?: AuditRepeats | undefined;
  /** Overrides the level of the log, for example for one tool. */
  level?: AuditLevel | undefined;
}

/** The part of an entry that is stored as it is. */
type StoredEntry = Omit<
  AuditEntry,
  "arguments" | "withholdArguments" | "answer" | "schema" | "outputSchema" | "detail" | "level"
>;

/** A record as stored. */
export interface AuditRecord extends Readonly<StoredEntry> {
  /** Increases by one within a run of a process. */
  readonly sequence: number;
  /** ISO 8601 with milliseconds. */
  readonly time: string;
  /**
   * SHA-256 of the arguments as JSON with keys in the received order; HMAC if the log has a key for it.
   * Absent if the complete arguments are recorded.
   */
  readonly argumentsHash?: string;
  readonly arguments?: unknown;
  /** The caller has more groups than were recorded. */
  readonly groupsCut?: true;
  /** Neither the arguments nor their hash are recorded, because no schema marks the secrets among them. */
  readonly argumentsWithheld?: true;
  readonly result?: unknown;
  /** The result isn't recorded, because the tool's input or output schema marks a secret. */
  readonly resultWithheld?: true;
  readonly detail?: unknown;
  /** For a record that a killed process left in its journal: its original run and sequence number. */
  readonly recovered?: { readonly epoch: number; readonly sequence: number };
}

export interface RecordOptions {
  sequence: number;
  time: string;
  level: AuditLevel;
  /** Keys the hashes of arguments, so that they can't be guessed. */
  digestKey?: Uint8Array | undefined;
}

// Names chosen by a caller may contain anything, so any that isn't short and simple is scanned for secrets.
const PLAIN = /^[\w.:@/+-]{0,24}$/;
const LONGEST_NAME = 200;
const MOST_GROUPS = 64;
/** Characters of all recorded groups together. */
const MOST_OF_GROUPS = 2000;

/** A record as one line of printable ASCII, without its line break. */
export function encodeRecord(entry: AuditEntry, options: RecordOptions): string {
  const { event, actor, server, method, tool, decision, sizes, outcome, duration, trace } = entry;
  const { sequence, time, level } = options;
  return toAscii(
    JSON.stringify({
      sequence,
      time,
      event,
      actor: actor && names(actor, ["tenant", "user", "view", "address"]),
      ...(entry.caller && callerOf(entry.caller)),
      server: shortened(server),
      method: scrubbed(method),
      tool: scrubbed(tool),
      hints: entry.hints,
      decision: decision && names(decision, DECISION),
      sizes: sizes && { received: sizes.received, sent: sizes.sent },
      ...(level !== "meta" && bodies(entry, options)),
      outcome: outcome && names(outcome, ["kind", "code"]),
      duration: duration === undefined ? undefined : Math.round(duration * 1e3) / 1e3,
      trace: shortened(trace),
      repeats: entry.repeats,
      detail: entry.detail && redact(entry.detail).value,
    }),
  );
}

const DECISION = [
  "verdict",
  "link",
  "code",
  "policies",
  "observed",
  "approval",
  "approvedBy",
] as const;

/** A token may name thousands of groups, and the log keeps every request. */
function callerOf({
  groups = [],
  ...caller
}: AuditCaller): Pick<AuditRecord, "caller" | "groupsCut"> {
  let room = MOST_OF_GROUPS;
  const kept = groups.slice(0, MOST_GROUPS).filter((group) => {
    room -= group.length;
    return room >= 0;
  });
  return {
    caller: {
      ...(names(caller, ["party", "issuer", "viewUri"]) as AuditCaller),
      ...(kept.length > 0 && { groups: kept }),
    },
    ...(kept.length < groups.length && { groupsCut: true }),
  };
}

type Bodies = Pick<
  AuditRecord,
  "argumentsHash" | "arguments" | "argumentsWithheld" | "result" | "resultWithheld"
>;

function bodies(entry: AuditEntry, { level, digestKey }: RecordOptions): Bodies {
  const { schema, outputSchema } = entry;
  const given = argumentsOf(entry, { level, digestKey });
  const message = level === "full" ? entry.answer?.message : undefined;
  const { result } = Object(message) as { result?: unknown };
  if (result === undefined) return given;
  // A server may repeat a secret argument, or put a secret of its result into text, where nothing marks it.
  const hasSecrets = SchemaMarks.of(schema) || SchemaMarks.of(outputSchema);
  return {
    ...given,
    ...(hasSecrets ? { resultWithheld: true } : { result: redact(result).value }),
  };
}

function argumentsOf(
  { arguments: given, schema, withholdArguments }: AuditEntry,
  { level, digestKey }: Pick<RecordOptions, "level" | "digestKey">,
): Bodies {
  if (withholdArguments) return { argumentsWithheld: true };
  if (given === undefined) return {};
  const kept = level === "full" ? redact(given, schema) : undefined;
  // The hash stands for values that aren't recorded.
  const isWhole = kept?.redacted === 0 && !kept.cut;
  return {
    ...(!isWhole && { argumentsHash: hashOf(given, digestKey) }),
    ...(kept && { arguments: kept.value }),
  };
}

function hashOf(given: unknown, key: Uint8Array | undefined): string {
  let json: string;
  try {
    json = JSON.stringify(given) ?? "";
  } catch {
    // Nested too deeply for the stack; no reader could check it either.
    return "unreadable";
  }
  return keyedHash(json, key);
}

function names<Key extends string>(
  parts: { readonly [Part in Key]?: string | number | undefined },
  keys: readonly Key[],
): object {
  return Object.fromEntries(
    keys.map((key) => {
      const value = parts[key];
      return [key, typeof value === "string" ? shortened(value) : value];
    }),
  );
}

/** A name that a caller chose: it may contain a secret. */
function scrubbed(text: string | undefined): string | undefined {
  if (text === undefined || PLAIN.test(text)) return text;
  return scrub(shortened(text));
}

// Users, traces and the like come from the gateway or from the issuer of a token: ids that look random must stay.
function shortened<Text extends string | undefined>(text: Text): Text {
  const isLong = text !== undefined && text.length > LONGEST_NAME;
  return isLong ? (`${text.slice(0, LONGEST_NAME)}…` as Text) : text;
}
