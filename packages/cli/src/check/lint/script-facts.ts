// Facts about a view's scripts, from their syntax trees, with locations; for the lint and for
// explanations of what the browser showed.

import type { Script } from "./document.ts";
import {
  type AnyNode,
  argumentsOf,
  calledName,
  literal,
  nameOf,
  type Visit,
  walk,
} from "./script-walk.ts";

/** What a script does. */
export type FactKind =
  | "handshake" // mentions `ui/initialize`
  | "initialized" // mentions `ui/notifications/initialized`
  | "old-protocol" // messages of MCP-UI from before the specification
  | "openai" // `window.openai`
  | "text-message" // `parent.postMessage(JSON.stringify(…))`
  | "dynamic-code"
  | "storage"
  | "parent-access"
  | "dialog"
  | "popup"
  | "navigation"
  | "unknown-method" // `app.callTool(…)`
  | "server-call" // `app.callServerTool({ name: "…" })`
  | "positional" // `app.callServerTool("name", …)`
  | "camera"
  | "microphone"
  | "geolocation"
  | "clipboardWrite"
  | "worker" // a worker or service worker from a file
  | "module" // an unresolved import
  | "import-url" // `import("https://…")`
  | "viewport-height"
  | "structured-content";

/** One fact. */
export interface Fact {
  kind: FactKind;
  /** The code, in a word or two. */
  what: string;
  /** The location in the HTML. */
  offset: number;
  isGuarded: boolean;
}

const STRINGS: Record<string, FactKind> = {
  "ui/initialize": "handshake",
  "ui/notifications/initialized": "initialized",
  "ui-lifecycle-iframe-ready": "old-protocol",
  "ui-size-change": "old-protocol",
  "ui-message-received": "old-protocol",
  "ui-request-data": "old-protocol",
};
const GLOBAL = /^(?:window|self|globalThis)\./;
const DIALOGS = new Set(["alert", "confirm", "prompt", "print"]);
const STORES = /^(?:localStorage|sessionStorage|indexedDB|caches|document\.cookie)$/;
const ABOVE =
  /^(?:parent|top|opener)\.(?:document|localStorage|location\.(?:href|search|hash|pathname|hostname|origin))\b|^frameElement$/;
const LOCATION = /^(?:document\.)?location(?:\.href)?$/;
const LEAVING = /^(?:document\.)?location\.(?:assign|replace|reload)$/;

type Seen = readonly [kind: FactKind, what: string];

/** Everything in a script that matters for a view. */
export function factsOf({ tree, element }: Script): Fact[] {
  const facts: Fact[] = [];
  if (!tree) return facts;
  walk(tree, (visit) => {
    for (const [kind, what] of READERS[visit.node.type]?.(visit) ?? []) {
      const offset = element.textOffset + visit.node.start;
      facts.push({ kind, what, offset, isGuarded: visit.isGuarded });
    }
  });
  return facts;
}

const READERS: Record<string, (visit: Visit) => Iterable<Seen>> = {
  Literal: readText,
  TemplateElement: readText,
  CallExpression: readCall,
  NewExpression: readCall,
  AssignmentExpression: function* ({ node }) {
    const target = nameOf(node.left as AnyNode).replace(GLOBAL, "");
    if (LOCATION.test(target)) yield ["navigation", `${target} = …`];
  },
  ImportDeclaration: ({ node }) => [["module", literal(node.source as AnyNode) ?? ""]],
  ImportExpression: function* ({ node }) {
    const url = literal(node.source as AnyNode);
    if (url === undefined) yield ["dynamic-code", "import(…)"];
    else yield [/^(?:https?:)?\/\//.test(url) ? "import-url" : "module", url];
  },
  Identifier: function* (visit) {
    const name = String(visit.node.name);
    if (STORES.test(name) && isRead(visit)) yield ["storage", name];
  },
  MemberExpression: readMember,
};

/** A name that is read, rather than a property or a local variable. */
function isRead({ parent, key }: Visit): boolean {
  if (key === "property" || key === "key") return parent?.computed === true;
  if (key === "id" || key === "params") return false;
  return !(parent?.type === "UnaryExpression" && parent.operator === "typeof");
}

function* readText({ node }: Visit): Iterable<Seen> {
  const value = node.type === "Literal" ? node.value : (node.value as { raw?: string })?.raw;
  if (typeof value !== "string") return;
  const kind = STRINGS[value];
  if (kind) yield [kind, value];
  if (/(?:^|[\s:;"'])100d?vh\b/.test(value)) yield ["viewport-height", "100vh"];
}

function* readMember({ node, parent }: Visit): Iterable<Seen> {
  const full = nameOf(node);
  const name = full.replace(GLOBAL, "");
  const isStore = STORES.test(name) && (name !== full || name === "document.cookie");
  if (isStore) yield ["storage", name];
  // Only the longest one: `parent.document` is part of `parent.document.body`.
  const isInner =
    parent?.type === "MemberExpression" && ABOVE.test(nameOf(parent).replace(GLOBAL, ""));
  if (ABOVE.test(name) && !isInner) yield ["parent-access", name];
  if (full === "window.openai" || full === "globalThis.openai") yield ["openai", "window.openai"];
  const property = node.computed ? "" : String((node.property as AnyNode).name);
  if (property === "structuredContent") yield ["structured-content", property];
}

/** A call, taken apart. */
interface Call {
  node: AnyNode;
  /** The dotted name as written, and without a leading `window.`. */
  full: string;
  name: string;
  /** Its last part. */
  last: string;
  first: AnyNode | undefined;
  args: readonly AnyNode[];
}

/** The first matching rule decides what a call is. */
const CALLS: readonly ((call: Call) => Seen | undefined)[] = [
  ({ name }) => (name === "eval" ? ["dynamic-code", "eval(…)"] : undefined),
  ({ name }) => (name === "Function" ? ["dynamic-code", "new Function(…)"] : undefined),
  ({ name, first }) =>
    /^set(?:Timeout|Interval)$/.test(name) && literal(first) !== undefined
      ? ["dynamic-code", `${name}("…")`]
      : undefined,
  ({ name, full, first }) => {
    const isGlobal = full !== name || name === "alert" || literal(first) !== undefined;
    return DIALOGS.has(name) && isGlobal ? ["dialog", `${name}(…)`] : undefined;
  },
  ({ name, full }) => (name === "open" && full !== name ? ["popup", "window.open(…)"] : undefined),
  ({ name }) => (LEAVING.test(name) ? ["navigation", `${name}(…)`] : undefined),
  ({ node, last, first }) =>
    last === "postMessage" && /(?:parent|top)$/.test(nameOf(ownerOf(node))) && isStringified(first)
      ? ["text-message", "postMessage(JSON.stringify(…))"]
      : undefined,
  ({ last, first }) =>
    last === "callTool" && first && isToolNamed(first) ? ["unknown-method", last] : undefined,
  ({ last, first, args }) =>
    last === "callServerTool" && literal(first) !== undefined
      ? ["positional", `${last}(${JSON.stringify(literal(first))}${args.length > 1 ? ", …" : ""})`]
      : undefined,
  ({ last, first }) => {
    const tool = last === "callServerTool" && first && toolNameIn(first);
    return tool ? ["server-call", tool] : undefined;
  },
  ({ name }) => (name.startsWith("navigator.geolocation.") ? ["geolocation", name] : undefined),
  ({ name }) =>
    name.startsWith("navigator.clipboard.write") ? ["clipboardWrite", name] : undefined,
  ({ name, first }) => {
    const isWorker = /^(?:Shared)?Worker$|serviceWorker\.register$/.test(name);
    const url = literal(first) ?? "";
    return isWorker && url && !/^(?:blob|data):/.test(url) ? ["worker", url] : undefined;
  },
];

function* readCall({ node }: Visit): Iterable<Seen> {
  const full = nameOf(node.callee as AnyNode);
  const args = argumentsOf(node);
  const name = full.replace(GLOBAL, "");
  const call = { node, full, name, last: calledName(node), first: args[0], args };
  if (call.last === "getUserMedia") yield* readMedia(call.first);
  for (const rule of CALLS) {
    const seen = rule(call);
    if (!seen) continue;
    yield seen;
    return;
  }
}

function* readMedia(first: AnyNode | undefined): Iterable<Seen> {
  const properties = (first?.properties as AnyNode[] | undefined) ?? [];
  const names = properties.map(({ key }) => (key as AnyNode | undefined)?.name);
  if (names.includes("audio")) yield ["microphone", "getUserMedia({ audio })"];
  if (names.includes("video") || !names.includes("audio"))
    yield ["camera", "getUserMedia({ video })"];
}

function ownerOf(node: AnyNode): AnyNode | undefined {
  const callee = node.callee as AnyNode;
  return callee.type === "MemberExpression" ? (callee.object as AnyNode) : undefined;
}

function isStringified(node: AnyNode | undefined): boolean {
  return node?.type === "CallExpression" && nameOf(node.callee as AnyNode) === "JSON.stringify";
}

/**
 * `callTool("name")` or `callTool({ name: "…" })`; the official client has one too, inside bundles.
 */
function isToolNamed(node: AnyNode): boolean {
  return literal(node) !== undefined || toolNameIn(node) !== undefined;
}

/** The name in `{ name: "…" }`. */
function toolNameIn(node: AnyNode): string | undefined {
  const properties = (node.properties as AnyNode[] | undefined) ?? [];
  const named = properties.find(({ key }) => (key as AnyNode | undefined)?.name === "name");
  return named && literal(named.value as AnyNode);
}
