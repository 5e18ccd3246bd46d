import type { Node } from "acorn";

/** A node of any type, read key by key. */
export interface AnyNode extends Node {
  [key: string]: unknown;
}

/** A node and its position. */
export interface Visit {
  node: AnyNode;
  parent: AnyNode | undefined;
  key: string | undefined;
  /** Inside `try`: the author expects that it may fail. */
  isGuarded: boolean;
}

/** Walks a tree iteratively, because a tree is as deep as the longest chain of `+`. */
export function walk(root: Node, see: (visit: Visit) => void): void {
  const waiting: Visit[] = [
    { node: root as AnyNode, parent: undefined, key: undefined, isGuarded: false },
  ];
  for (let visit = waiting.pop(); visit; visit = waiting.pop()) {
    see(visit);
    waiting.push(...childrenOf(visit));
  }
}

function* childrenOf({ node, isGuarded }: Visit): Iterable<Visit> {
  for (const [key, value] of Object.entries(node)) {
    const isTried = node.type === "TryStatement" && key === "block" && node.handler != null;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof (child as AnyNode | null)?.type !== "string") continue;
      yield { node: child as AnyNode, parent: node, key, isGuarded: isGuarded || isTried };
    }
  }
}

/** The dotted name of an expression: `window.parent.document`; empty if it has none. */
export function nameOf(node: AnyNode | undefined): string {
  if (node?.type === "Identifier") return String(node.name);
  if (node?.type === "ThisExpression") return "this";
  if (node?.type === "ChainExpression") return nameOf(node.expression as AnyNode);
  if (node?.type !== "MemberExpression") return "";
  const owner = nameOf(node.object as AnyNode);
  const property = node.property as AnyNode;
  const name = node.computed ? literal(property) : String(property.name);
  return owner && name ? `${owner}.${name}` : "";
}

/** The last part of the callee: `callTool` of `app.client.callTool(…)`. */
export function calledName(node: AnyNode): string {
  if (node.type !== "CallExpression" && node.type !== "NewExpression") return "";
  const callee = node.callee as AnyNode;
  if (callee.type === "Identifier") return String(callee.name);
  if (callee.type !== "MemberExpression") return "";
  const property = callee.property as AnyNode;
  return callee.computed ? (literal(property) ?? "") : String(property.name);
}

/** The arguments of a call. */
export function argumentsOf(node: AnyNode): AnyNode[] {
  return Array.isArray(node.arguments) ? (node.arguments as AnyNode[]) : [];
}

/** The text of a literal, or of a template without placeholders. */
export function literal(node: AnyNode | undefined): string | undefined {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  if (node?.type !== "TemplateLiteral") return undefined;
  const [first, ...others] = node.quasis as { value: { cooked?: string | null } }[];
  return others.length === 0 ? (first?.value.cooked ?? undefined) : undefined;
}
