// Finds views that talk to their host in a form that circulates in guides and that no host and no SDK
// supports: other keys in the handshake, other method names, positional arguments, bare data in
// handlers. Each finding has the line to change.

import type { Code } from "../codes.ts";
import { type Finding, finding, type Place } from "../finding.ts";
import type { Script, ViewDocument } from "./document.ts";
import { type AnyNode, argumentsOf, calledName, literal, walk } from "./script-walk.ts";

interface Fault {
  code: Code;
  cause: string;
  remedy: string;
}

/** Other names of methods, and the specification's. */
const METHODS: Record<string, string> = {
  "ui/notifications/context-update": "ui/notifications/host-context-changed",
  "ui/notifications/context-changed": "ui/notifications/host-context-changed",
  "ui/notifications/host-context-update": "ui/notifications/host-context-changed",
  "ui/notifications/theme-changed": "ui/notifications/host-context-changed",
  "ui/notifications/size-change": "ui/notifications/size-changed",
  "ui/notifications/resize": "ui/notifications/size-changed",
  "ui/notifications/tool-response": "ui/notifications/tool-result",
  "ui/notifications/tool-output": "ui/notifications/tool-result",
  "ui/initialized": "ui/notifications/initialized",
  "ui/call-tool": "tools/call",
  "ui/tool-call": "tools/call",
  "ui/tools/call": "tools/call",
  "ui/send-message": "ui/message",
  "ui/update-context": "ui/update-model-context",
};

/** Calls with positional arguments, and how the SDK takes them. */
const CALLS: Record<string, { isWrong(first: AnyNode): boolean; form: string }> = {
  sendMessage: {
    isWrong: (first) => /^(?:user|assistant|system)$/.test(literal(first) ?? ""),
    form: 'app.sendMessage({ role: "user", content: [{ type: "text", text: "…" }] })',
  },
  updateModelContext: {
    isWrong: ({ type }) => type === "ArrayExpression",
    form: "app.updateModelContext({ content: [{ … }], structuredContent: { … } })",
  },
  openLink: {
    isWrong: (first) => literal(first) !== undefined,
    form: 'app.openLink({ url: "https://…" })',
  },
  requestDisplayMode: {
    isWrong: (first) => literal(first) !== undefined,
    form: 'app.requestDisplayMode({ mode: "fullscreen" })',
  },
};

/** Problems of a client that was written for another form of the protocol. */
export function lintClient(document: ViewDocument, place: Place): Finding[] {
  if (document.scripts.some(hasOwnForm)) return [];
  const resource = place.resource ?? "The view";
  const found = new Map<string, Finding>();
  for (const { tree, element } of document.scripts) {
    if (!tree) continue;
    walk(tree, ({ node }) => {
      for (const { code, cause, remedy } of faultsOf(node)) {
        const at = document.at(element.textOffset + node.start);
        const words = { cause: `${resource} ${cause}.`, remedy: `line ${at.line}: ${remedy}` };
        const key = `${code} ${at.line}`;
        if (!found.has(key)) found.set(key, finding(code, "broken", { ...place, ...at }, words));
      }
    });
  }
  return [...found.values()].sort((a, b) => (a.place.line ?? 0) - (b.place.line ?? 0));
}

/** A page with its own client: `callServerTool(name, args) { … }` makes the object itself. */
function hasOwnForm({ tree }: Script): boolean {
  let isOwn = false;
  if (!tree) return false;
  walk(tree, ({ node }) => {
    if (node.type !== "MethodDefinition" && node.type !== "Property") return;
    const [, second] = ((node.value as AnyNode | null)?.params as AnyNode[] | undefined) ?? [];
    const name = (node.key as AnyNode | undefined)?.name;
    // The second parameter of the official client are options.
    isOwn ||= name === "callServerTool" && /^(?:args|params|input)/i.test(String(second?.name));
  });
  return isOwn;
}

function* faultsOf(node: AnyNode): Iterable<Fault> {
  if (node.type === "Literal") yield* methodFaults(node);
  else if (node.type === "CallExpression") yield* callFaults(node);
  else if (node.type === "VariableDeclarator") yield* connectFaults(node);
  else if (node.type === "AssignmentExpression") yield* handlerFaults(node);
}

function* methodFaults({ value }: AnyNode): Iterable<Fault> {
  const right = typeof value === "string" && Object.hasOwn(METHODS, value) && METHODS[value];
  if (!right) return;
  yield {
    code: "unknown-message",
    cause: `uses the method "${value}", which no host sends or answers`,
    remedy: `write "${right}"${right.endsWith("host-context-changed") ? "; its params are the changed fields themselves: params.theme" : ""}`,
  };
}

function* callFaults(node: AnyNode): Iterable<Fault> {
  const args = argumentsOf(node);
  const [first] = args;
  const name = calledName(node);
  const call = Object.hasOwn(CALLS, name) ? CALLS[name] : undefined;
  if (call && first && call.isWrong(first)) {
    yield {
      code: "call-form",
      cause: `calls ${name} with positional arguments; the SDK takes one object, and hosts reject the request that results`,
      remedy: `write ${call.form}`,
    };
  }
  if (args.some((arg) => literal(arg) === "ui/initialize")) {
    yield* greetingFaults(args.find(({ type }) => type === "ObjectExpression"));
  }
  yield* thenFaults(node);
}

/** `{ capabilities, clientInfo }`, as clients of servers send them. */
function* greetingFaults(params: AnyNode | undefined): Iterable<Fault> {
  const keys = keysOf(params);
  const wrong = [
    ["capabilities", "appCapabilities"],
    ["clientInfo", "appInfo"],
  ].filter(([key, right]) => keys.includes(key ?? "") && !keys.includes(right ?? ""));
  if (wrong.length === 0) return;
  yield {
    code: "initialize-form",
    cause: `sends ui/initialize with ${wrong.map(([key]) => key).join(" and ")}, the keys of clients of servers; strict hosts reject it`,
    remedy: `write ${wrong.map(([key, right]) => `${right} instead of ${key}`).join(", and ")}`,
  };
}

const CONNECT: Fault = {
  code: "call-form",
  cause: "reads the host's context from the result of connect(), which has none",
  remedy:
    "write await app.connect(); const hostContext = app.getHostContext(), hostCapabilities = app.getHostCapabilities()",
};

/** `const { hostContext } = await app.connect()`. */
function* connectFaults({ id, init }: AnyNode): Iterable<Fault> {
  const awaited = init as AnyNode | null;
  if (awaited?.type !== "AwaitExpression" || !isContext(id as AnyNode)) return;
  if (calledName(awaited.argument as AnyNode) === "connect") yield CONNECT;
}

/** `app.connect().then(({ hostContext }) => …)`. */
function* thenFaults(node: AnyNode): Iterable<Fault> {
  const callee = node.callee as AnyNode;
  if (calledName(node) !== "then" || callee.type !== "MemberExpression") return;
  const [handler] = argumentsOf(node);
  const [param] = (handler?.params as AnyNode[] | undefined) ?? [];
  if (calledName(callee.object as AnyNode) === "connect" && isContext(param)) yield CONNECT;
}

function isContext(pattern: AnyNode | undefined): boolean {
  return (
    pattern?.type === "ObjectPattern" &&
    keysOf(pattern).some((key) => key === "hostContext" || key === "hostCapabilities")
  );
}

/** `app.ontoolinput = (args) => args.city`, and a reason that is an object. */
function* handlerFaults({ left, right }: AnyNode): Iterable<Fault> {
  const name = nameOfHandler(left as AnyNode);
  const handler = right as AnyNode;
  const [param] = (handler.params as AnyNode[] | undefined) ?? [];
  if (!name || param?.type !== "Identifier") return;
  const uses = usesOf(handler.body as AnyNode, String(param.name));
  if (
    name.startsWith("ontoolinput") &&
    uses.fields.length > 0 &&
    !uses.fields.includes("arguments")
  ) {
    yield {
      code: "handler-form",
      cause: `reads ${param.name}.${uses.fields[0]} in ${name}, but the arguments are one level deeper`,
      remedy: `write app.${name} = ({ arguments: ${param.name} }) => …`,
    };
  }
  if (name === "ontoolcancelled" && uses.isJoined) {
    yield {
      code: "handler-form",
      cause: `shows the parameter of ${name} as text, but it is an object: users read "[object Object]"`,
      remedy: `write app.${name} = ({ ${param.name === "reason" ? "reason" : `reason: ${param.name}`} }) => …`,
    };
  }
}

function nameOfHandler(left: AnyNode): string | undefined {
  if (left.type !== "MemberExpression" || left.computed) return undefined;
  const name = String((left.property as AnyNode).name);
  return /^on(?:toolinput|toolinputpartial|toolcancelled)$/.test(name) ? name : undefined;
}

/** The fields that a function reads of its parameter, and whether it joins it with text. */
function usesOf(body: AnyNode, name: string): { fields: string[]; isJoined: boolean } {
  const fields: string[] = [];
  let isJoined = false;
  const isParam = (node: unknown): boolean =>
    (node as AnyNode).type === "Identifier" && (node as AnyNode).name === name;
  walk(body, ({ node }) => {
    if (node.type === "MemberExpression" && !node.computed && isParam(node.object)) {
      fields.push(String((node.property as AnyNode).name));
    }
    const parts =
      node.type === "BinaryExpression" && node.operator === "+"
        ? [node.left, node.right]
        : node.type === "TemplateLiteral"
          ? (node.expressions as unknown[])
          : [];
    isJoined ||= parts.some(isParam);
  });
  return { fields, isJoined };
}

function keysOf(node: AnyNode | undefined): string[] {
  const properties = (node?.properties as AnyNode[] | undefined) ?? [];
  return properties.map(({ key }) => String((key as AnyNode | undefined)?.name ?? ""));
}
