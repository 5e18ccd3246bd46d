// A view's HTML, parsed, with the location of everything: elements by parse5, scripts by acorn.

import { type Node, parse as parseScript } from "acorn";
import { type DefaultTreeAdapterTypes, parse } from "parse5";

type TreeNode = DefaultTreeAdapterTypes.Node;

/** Line and column in the HTML, from 1. */
export interface Position {
  line: number;
  column: number;
}

/** An element, its attributes, and its own text. */
export interface Element {
  name: string;
  attributes: ReadonlyMap<string, string>;
  text: string;
  /** Where the element and its text start in the HTML. */
  offset: number;
  textOffset: number;
}

/** Inline code. */
export interface Script {
  element: Element;
  code: string;
  isModule: boolean;
  /** The syntax tree; none if it can't be parsed. */
  tree: Node | undefined;
  fault?: { message: string; offset: number };
}

/** A view's document. */
export interface ViewDocument {
  html: string;
  elements: readonly Element[];
  scripts: readonly Script[];
  at(offset: number): Position;
}

const CODE_TYPES = /^(?:|module|(?:text|application)\/(?:java|ecma)script)$/i;

/** Parses a document; never fails, whatever the input. */
export function readDocument(html: string): ViewDocument {
  const elements: Element[] = [];
  const waiting: TreeNode[] = [parse(html, { sourceCodeLocationInfo: true })];
  for (let node = waiting.shift(); node; node = waiting.shift()) {
    if ("tagName" in node && node.sourceCodeLocation) elements.push(readElement(node));
    if ("content" in node) waiting.unshift(node.content);
    if ("childNodes" in node) waiting.unshift(...node.childNodes);
  }
  const scripts = elements.flatMap(readScript);
  const lines = lineStarts(html);
  return { html, elements, scripts, at: (offset) => positionIn(lines, offset) };
}

function readElement(node: DefaultTreeAdapterTypes.Element): Element {
  const texts = node.childNodes.filter((child) => child.nodeName === "#text");
  const [first] = texts;
  const offset = node.sourceCodeLocation?.startOffset ?? 0;
  return {
    name: node.tagName,
    // Foreign attributes (`xlink:href`) have a separate prefix.
    attributes: new Map(
      node.attrs.map(({ prefix, name, value }) => [prefix ? `${prefix}:${name}` : name, value]),
    ),
    text: texts.map((text) => (text as DefaultTreeAdapterTypes.TextNode).value).join(""),
    offset,
    textOffset: first?.sourceCodeLocation?.startOffset ?? offset,
  };
}

function readScript(element: Element): Script[] {
  const type = element.attributes.get("type")?.trim() ?? "";
  if (element.name !== "script" || !CODE_TYPES.test(type) || element.attributes.has("src"))
    return [];
  const code = element.text;
  if (code.trim() === "") return [];
  const isModule = type.toLowerCase() === "module";
  const script = { element, code, isModule, tree: undefined };
  try {
    const tree = parseScript(code, {
      ecmaVersion: "latest",
      sourceType: isModule ? "module" : "script",
    });
    return [{ ...script, tree }];
  } catch (error) {
    const { message, pos = 0 } = error as SyntaxError & { pos?: number };
    const fault = {
      message: message.replace(/ \(\d+:\d+\)$/, ""),
      offset: element.textOffset + pos,
    };
    return [{ ...script, fault }];
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function positionIn(starts: readonly number[], offset: number): Position {
  let low = 0;
  for (let high = starts.length; high - low > 1; ) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}
