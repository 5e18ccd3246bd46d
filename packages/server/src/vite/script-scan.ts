// What a finished script does that a locked policy forbids, and which addresses it names. Read from
// the syntax tree, not by pattern: `eval` in a sentence or `instanceof Function` is nobody's fault.

/** Parses a module; `this.parse` of a plugin. */
export type ParseScript = (code: string) => unknown;

/** What of a script runs text as code. */
export type DynamicCode = "eval" | "Function" | "timer with text" | "import";

/** What one script holds. */
export interface ScannedScript {
  dynamicCode: ReadonlySet<DynamicCode>;
  /** Literal addresses, each with the place it is used in. */
  urls: readonly { url: string; use: "connect" | "import" | "mentioned" }[];
  /** Imports that are left; a View is a single file, so nothing can serve them. */
  imports: readonly string[];
}

interface Node {
  type: string;
  [key: string]: unknown;
}

const ABSOLUTE = /^(?:https?|wss?):\/\/[^\s/?#"'`<>\\]+/i;
const CONNECTING = new Set(["fetch", "WebSocket", "EventSource", "WebTransport"]);
const TIMERS = new Set(["setTimeout", "setInterval"]);

/** Reads one script; `undefined` if it is not one. */
export function scanScript(code: string, parse: ParseScript): ScannedScript | undefined {
  let tree: unknown;
  try {
    tree = parse(code);
  } catch {
    return undefined;
  }
  const dynamicCode = new Set<DynamicCode>();
  const urls: { url: string; use: "connect" | "import" | "mentioned" }[] = [];
  const imports: string[] = [];
  const claimed = new Set<unknown>();
  visit(tree, (node, parent, key) => {
    const found = dynamicCodeOf(node, parent, key);
    if (found) dynamicCode.add(found);
    const { name, first } = callOf(node);
    if (CONNECTING.has(name)) claim(first, "connect");
    const source = node.source as Node | undefined;
    if (source && /^(?:Import|Export)/.test(node.type)) {
      claim(source, "import");
      if (isText(source)) imports.push(source.value as string);
    }
    if (!claimed.has(node)) claim(node, "mentioned");
  });
  return { dynamicCode, urls, imports };

  function claim(node: Node | undefined, use: "connect" | "import" | "mentioned"): void {
    const url = textOf(node).match(ABSOLUTE)?.[0];
    if (node) claimed.add(node);
    if (url) urls.push({ url, use });
  }
}

/** Reads scripts, and one that it read for the last page too is not read again. */
export class ScriptMemory {
  #last = new Map<string, ScannedScript | undefined>();
  #now = new Map<string, ScannedScript | undefined>();

  /** Begins a page: what the page before the last had is forgotten. */
  turn(): void {
    this.#last = this.#now;
    this.#now = new Map();
  }

  scan(code: string, parse: ParseScript): ScannedScript | undefined {
    const known = this.#now.has(code) ? this.#now : this.#last;
    const scanned = known.has(code) ? known.get(code) : scanScript(code, parse);
    this.#now.set(code, scanned);
    return scanned;
  }
}

/** Walks a tree; a loop of our own because the tree is as deep as somebody's longest chain of `+`. */
function visit(root: unknown, see: (node: Node, parent?: Node, key?: string) => void): void {
  const waiting: { node: Node; parent?: Node; key?: string }[] = [];
  const add = (value: unknown, parent?: Node, key?: string): void => {
    if (Array.isArray(value)) for (const item of value) add(item, parent, key);
    else if (isNode(value))
      waiting.push({ node: value, ...(parent && { parent }), ...(key && { key }) });
  };
  add(root);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    see(next.node, next.parent, next.key);
    for (const [key, value] of Object.entries(next.node)) add(value, next.node, key);
  }
}

function dynamicCodeOf(node: Node, parent?: Node, key?: string): DynamicCode | undefined {
  // A single file has nothing to import; what is left is an address that somebody makes up.
  if (node.type === "ImportExpression") return "import";
  const { name, first } = callOf(node);
  if (TIMERS.has(name) && first && (isText(first) || first.type === "TemplateLiteral")) {
    return "timer with text";
  }
  if (node.type !== "Identifier" || !parent) return undefined;
  if (node.name === "eval" && isReference(parent, key)) return "eval";
  // Called, or given another name to be called by; `x instanceof Function` stays free.
  const isUsed = key === "callee" || key === "init" || (key === "right" && isAssignment(parent));
  return node.name === "Function" && isUsed ? "Function" : undefined;
}

/** Whether an identifier stands for a variable and not for a property's name. */
function isReference(parent: Node, key?: string): boolean {
  const isName = key === "property" || key === "key";
  return !isName || parent.computed === true;
}

function isAssignment({ type }: Node): boolean {
  return type === "AssignmentExpression";
}

function callOf(node: Node): { name: string; first?: Node } {
  if (node.type !== "CallExpression" && node.type !== "NewExpression") return { name: "" };
  const callee = node.callee as Node;
  const named = callee.type === "MemberExpression" ? (callee.property as Node) : callee;
  const first = (node.arguments as Node[])[0];
  return { name: typeof named.name === "string" ? named.name : "", ...(first && { first }) };
}

function isText(node: Node): boolean {
  return node.type === "Literal" && typeof node.value === "string";
}

/** The beginning of a text, as far as it is written down. */
function textOf(node: Node | undefined): string {
  if (!node) return "";
  if (isText(node)) return node.value as string;
  if (node.type === "TemplateLiteral") {
    const [first] = node.quasis as { value: { cooked?: string | null } }[];
    return first?.value.cooked ?? "";
  }
  return node.type === "BinaryExpression" && node.operator === "+" ? textOf(node.left as Node) : "";
}

function isNode(value: unknown): value is Node {
  return typeof (value as Node | null)?.type === "string";
}
