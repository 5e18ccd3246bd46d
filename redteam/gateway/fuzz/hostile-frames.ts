import {
  escaped,
  hostileMember,
  hostileObject,
  hostileValue,
  memberText,
  objectText,
} from "./hostile-json.ts";
import type { Random } from "./random.ts";

/** Lengths at which some buffer or limit of the gateway, of a pipe or of a parser ends. */
const LIMITS = [1024, 4096, 8192, 16_384, 32_768, 65_536, 131_072];
const METHODS = ["notifications/x", "notifications/message", "tools/call", "x/y", "prompts/get"];
const TOOLS = ["any", "any", "any", "strict", "hidden", "none"];

/** A message of an attacker, and what an HTTP request about it has to say in its headers. */
export interface HostileFrame {
  readonly text: string;
  readonly method: string;
  readonly name: string;
}

/** Writes requests and notifications that the gateway and a server might read differently. */
export function hostileFrame(random: Random, number: number): HostileFrame {
  const kind = random.next();
  if (kind < 0.12) return poisonedFrame(random, number);
  if (kind < 0.125) return sizedFrame(random, number);
  if (kind < 0.35) return notification(random);
  return request(random, number);
}

/** What HTTP requires in the parameters of a request. */
const META = `"_meta":${JSON.stringify({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
})}`;

function request(random: Random, number: number): HostileFrame {
  const name = random.pick(TOOLS);
  const params = [
    memberText(random, "name", `"${escaped(random, name)}"`),
    memberText(random, "arguments", hostileArguments(random)),
    META,
    ...extras(random, 0.15),
  ];
  const members = [
    `"jsonrpc":"2.0"`,
    memberText(random, "id", random.chance(0.5) ? `${number}` : `"f${number}"`),
    memberText(random, "method", `"tools/call"`),
    memberText(random, "params", objectText(random, shuffled(random, params))),
    ...extras(random, 0.1),
  ];
  return { text: objectText(random, shuffled(random, members)), method: "tools/call", name };
}

function notification(random: Random): HostileFrame {
  const method = random.pick(METHODS);
  const members = [
    `"jsonrpc":"2.0"`,
    memberText(random, "method", `"${method}"`),
    memberText(random, "params", hostileObject(random, 3)),
    ...extras(random, 0.3),
  ];
  return { text: objectText(random, shuffled(random, members)), method, name: "any" };
}

/**
 * V8 of Node 24 remembers a key that ends in a backslash for objects of one shape, and then reads an
 * escaped key of the same length as it. Half of these prepare a shape, the others use it.
 */
function poisonedFrame(random: Random, number: number): HostileFrame {
  const shape = `"z${random.below(12)}":0`;
  const isLesson = random.chance(0.5);
  const key = (name: string): string => {
    const last = name
      .charCodeAt(name.length - 1)
      .toString(16)
      .padStart(4, "0");
    return `"${name.slice(0, -1)}${isLesson ? "\\\\" : `\\u${last}`}"`;
  };
  const call = `{${shape},"name":"any",${META},${key("arguments")}:${hostileObject(random, 1)}}`;
  if (random.chance(0.5)) {
    const text = `{${shape},"jsonrpc":"2.0","id":${number},"method":"tools/call","params":${call}}`;
    return { text, method: "tools/call", name: "any" };
  }
  const hidden = `{"name":"hidden","arguments":{"note":"${number}"}}`;
  const text = `{${shape},"jsonrpc":"2.0","method":"notifications/x","params":{},${key("method")}:"tools/call",${key("id")}:${number},${key("params")}:${hidden}}`;
  return { text, method: "notifications/x", name: "any" };
}

/** A request whose length is close to a limit, with the hostile member at its end. */
function sizedFrame(random: Random, number: number): HostileFrame {
  const length = random.pick(LIMITS) + random.below(5) - 2;
  const tail = `,${random.pick([`"Name":"hidden"`, `"name":"hidden"`, `"Arguments":{}`, `"x":1`])}}}`;
  const head = `{"jsonrpc":"2.0","id":${number},"method":"tools/call","params":{"name":"any",${META},"arguments":{"note":"`;
  const wide = random.pick([0, 1, tail.length, 40]);
  const plain = Math.max(0, length - head.length - tail.length - 2 - wide);
  const note = random.pick(["é", "€", "\u2028"]).repeat(wide) + "x".repeat(plain);
  return { text: `${head}${note}"}${tail}`, method: "tools/call", name: "any" };
}

function hostileArguments(random: Random): string {
  return random.chance(0.9) ? hostileObject(random, 3) : hostileValue(random, 1);
}

function extras(random: Random, share: number): string[] {
  return random.chance(share)
    ? Array.from({ length: 1 + random.below(2) }, () => hostileMember(random, 1))
    : [];
}

function shuffled(random: Random, members: readonly string[]): string[] {
  if (random.chance(0.5)) return [...members];
  return members
    .map((member) => ({ member, at: random.next() }))
    .sort((one, other) => one.at - other.at)
    .map(({ member }) => member);
}

/** Writes a response, with `@id@` in place of the request's number. */
export function hostileResponse(random: Random): string {
  const isError = random.chance(0.15);
  const payload = isError
    ? objectText(random, [
        memberText(random, "code", "-32000"),
        memberText(random, "message", `"${escaped(random, "it failed")}"`),
        ...extras(random, 0.3),
      ])
    : objectText(random, [`"content":[]`, `"structuredContent":${hostileObject(random, 3)}`]);
  const members = [
    `"jsonrpc":"2.0"`,
    `"id":@id@`,
    memberText(random, isError ? "error" : "result", payload),
    ...(random.chance(0.15) ? [responseExtra(random)] : []),
  ];
  return objectText(random, members).replaceAll(/[\r\n]/g, " ");
}

function responseExtra(random: Random): string {
  const name = random.pick(["Result", "Error", "resul\\u0074", "resul\\\\", "x", "__proto__"]);
  return `"${name}":${hostileObject(random, 1)}`;
}
