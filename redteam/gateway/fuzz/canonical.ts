// One form of a JSON value that JavaScript, Python and Go write alike, so digests can be compared:
//
// - numbers are doubles, because that is what the gateway checks; -0 is 0, which JSON.stringify writes for it;
// - a lone surrogate is U+FFFD, which is what Go's encoding/json reads for it;
// - members are sorted by the bytes of their names.
//
// `_meta` of parameters and results isn't compared: the gateway writes parts of it itself.

import { hash } from "node:crypto";

type Members = Readonly<Record<string, unknown>>;

const NON_ASCII = /[^\0-\x7f]/;
const SURROGATE = /[\ud800-\udfff]/;
const bits = new DataView(new ArrayBuffer(8));
// TypeScript's library doesn't declare it yet.
const { isRawJSON } = JSON as unknown as {
  isRawJSON(value: unknown): value is { rawJSON: string };
};

/** Digest of a message to a server: whether it expects an answer, its method and its parameters. */
export function messageDigest(message: {
  id?: unknown;
  method: string;
  params?: Members | undefined;
}): string {
  const rest = without(message.params ?? {}, ["_meta"]);
  const { name = null, arguments: given = null } = rest;
  return digest([message.id !== undefined, message.method, rest, name, given]);
}

/** Digest of a response: whether it is a result, and what is in it. */
export function responseDigest(message: object): string {
  const { result, error } = message as { result?: unknown; error?: unknown };
  const kind = result === undefined ? "error" : "result";
  const payload = result ?? error ?? null;
  const isObject = typeof payload === "object" && payload !== null && !Array.isArray(payload);
  return digest([kind, isObject ? without(payload as Members, ["resultType", "_meta"]) : payload]);
}

function digest(value: unknown): string {
  return hash("md5", canonical(value), "hex");
}

function without(members: Members, names: readonly string[]): Members {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}

function canonical(value: unknown): string {
  if (value === null || value === undefined) return "n";
  if (value === true) return "t";
  if (value === false) return "f";
  if (typeof value === "string") return textOf(value);
  if (typeof value === "number") return numberOf(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join("")}]`;
  // A number with more digits than a double holds.
  if (isRawJSON(value)) return numberOf(Number(value.rawJSON));
  return objectOf(value as Members);
}

function textOf(text: string): string {
  if (!NON_ASCII.test(text)) return `s${text.length}:${text}`;
  const whole = text.toWellFormed();
  return `s${Buffer.byteLength(whole)}:${whole}`;
}

function numberOf(value: number): string {
  bits.setFloat64(0, value === 0 ? 0 : value);
  return `d${bits.getBigUint64(0).toString(16).padStart(16, "0")}`;
}

function objectOf(members: Members): string {
  let names = Object.keys(members);
  if (!names.some((name) => SURROGATE.test(name))) {
    names.sort();
    return `{${names.map((name) => textOf(name) + canonical(members[name])).join("")}}`;
  }
  const whole = new Map(names.map((name) => [name.toWellFormed(), members[name]]));
  names = [...whole.keys()].sort((one, other) => Buffer.compare(toBytes(one), toBytes(other)));
  return `{${names.map((name) => textOf(name) + canonical(whole.get(name))).join("")}}`;
}

function toBytes(text: string): Buffer {
  return Buffer.from(text);
}
