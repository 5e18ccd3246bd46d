// A receipt: a host's page says what happened in the page. Every field comes from the page, so it is bounded
// here and nothing else is kept.

import type { AuditEntry } from "../audit/index.ts";
import type { Admitted } from "./exchange.ts";

const KINDS = ["message", "link", "download", "model-context", "consent", "lost"] as const;
const OUTCOMES = ["done", "failed", "allowed", "declined"] as const;

/** What a page reports. */
export interface Receipt {
  readonly kind: (typeof KINDS)[number];
  readonly outcome: (typeof OUTCOMES)[number];
  /** By the page's clock, in milliseconds since 1970. */
  readonly at?: number;
  /** The trace id of the call that it belongs to. */
  readonly trace?: string;
  /** For a consent: what the user was asked about, and the tool if it was one. */
  readonly about?: string;
  readonly tool?: string;
  /** For a link: its host. */
  readonly host?: string;
  /** For a download: the names of the files. */
  readonly names?: readonly string[];
  /** Bytes of the message, the context or the files. */
  readonly size?: number;
  /** For `lost`: receipts that the page couldn't send. */
  readonly count?: number;
  /** The text that was sent, or the address that was opened. Recorded as a hash, or with the audit level `full` as it is. */
  readonly content?: unknown;
}

const MOST = 50;
const LONGEST_NAME = 200;
const MOST_NAMES = 10;
const LARGEST_TIME = 8.64e15;
const TRACE = /^(?!0{32})[0-9a-f]{32}$/;

/** Reads a batch. Returns the problem if one of the receipts isn't one. */
export function readReceipts(text: string): { receipts: Receipt[] } | { problem: string } {
  let given: unknown;
  try {
    given = (Object(JSON.parse(text)) as { receipts?: unknown }).receipts;
  } catch {
    return { problem: "The receipts aren't JSON." };
  }
  if (!Array.isArray(given) || given.length === 0 || given.length > MOST) {
    return { problem: `receipts must be a list of 1 to ${MOST} receipts.` };
  }
  const receipts: Receipt[] = [];
  for (const [place, one] of given.entries()) {
    const read = readReceipt(one);
    if (typeof read === "string") return { problem: `receipts[${place}].${read}` };
    receipts.push(read);
  }
  return { receipts };
}

/** The record of a receipt. */
export function receiptEntry({ caller, server }: Admitted, receipt: Receipt): AuditEntry {
  const { kind, outcome, at, trace, about, tool, host, names, size, count, content } = receipt;
  const { tenant, user, ticket, address } = caller;
  return {
    event: "receipt",
    actor: { tenant, user, view: ticket?.jti, address },
    server: server.id,
    tool,
    arguments: content,
    outcome: { kind: outcome },
    sizes: size === undefined ? undefined : { received: size },
    trace,
    // The gateway can't verify any of it.
    detail: {
      kind,
      reportedBy: "page",
      ...(at !== undefined && { pageTime: new Date(at).toISOString() }),
      ...(about !== undefined && { about }),
      ...(host !== undefined && { host }),
      ...(names !== undefined && { names }),
      ...(count !== undefined && { count }),
    },
  };
}

function readReceipt(given: unknown): Receipt | string {
  const { kind, outcome, at, trace, about, tool, host, names, size, count, content } = Object(
    given,
  ) as Record<string, unknown>;
  if (!isOneOf(KINDS, kind)) return `kind must be one of ${KINDS.join(", ")}.`;
  if (!isOneOf(OUTCOMES, outcome)) return `outcome must be one of ${OUTCOMES.join(", ")}.`;
  const texts = { about, tool, host };
  for (const [name, value] of Object.entries(texts)) {
    if (value !== undefined && !isName(value)) return `${name} must be a short text.`;
  }
  for (const [name, value] of Object.entries({ at, size, count })) {
    if (value !== undefined && !isCount(value)) return `${name} must be a number from 0.`;
  }
  if (trace !== undefined && !TRACE.test(`${trace}`)) return "trace must be a W3C trace id.";
  if (names !== undefined && !isNameList(names)) return "names must be a list of short texts.";
  return Object.fromEntries(
    Object.entries({ kind, outcome, at, trace, ...texts, names, size, count, content }).filter(
      ([, value]) => value !== undefined,
    ),
  ) as unknown as Receipt;
}

function isOneOf<Name extends string>(all: readonly Name[], given: unknown): given is Name {
  return all.some((name) => name === given);
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value.length <= LONGEST_NAME;
}

function isNameList(value: unknown): value is string[] {
  return Array.isArray(value) && value.length <= MOST_NAMES && value.every(isName);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= LARGEST_TIME;
}
