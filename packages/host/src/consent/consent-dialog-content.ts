import type { ContentBlock } from "@vitrine/protocol/apps";
import { type DescribeServer, plainName } from "../plain-name.ts";
import { makeServerIcon } from "../surface/decoration.ts";
import type { ConsentRequest } from "./consent.ts";
import { showJson, showName, showText } from "./consent-dialog-text.ts";
import type { DialogWords } from "./consent-dialog-words.ts";

type Attributes = Record<string, string>;

/** Creates an element; strings become text nodes. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** The content of a question: facts that are announced, the view's own text in boxes, warnings. */
interface Content {
  words: DialogWords;
  facts: HTMLElement[];
  boxes: HTMLElement[];
  notes: Set<string>;
  /** Characters that are sent but don't fit. */
  cut: number;
}

/**
 * Everything between the question and the buttons, and how many characters of the request don't fit.
 * A request that isn't shown in full must not be allowed.
 */
export function describeRequest(
  request: ConsentRequest,
  words: DialogWords,
  describeServer?: DescribeServer,
): { nodes: Node[]; cut: number } {
  const content: Content = { words, facts: [], boxes: [], notes: new Set(), cut: 0 };
  const { server, appInfo } = request.view;
  const { name: display = "", icon = "" } = describeServer?.(server) ?? {};
  const shownName = strong(content, plainName(display) || server);
  fact(content, words.server, ...makeServerIcon(icon), shownName);
  if (appInfo) fact(content, words.callsItself, name(content, appInfo.title || appInfo.name));
  describeSubject(request, content);
  if (request.userActive === false) content.notes.add(words.inactive);
  const notes = [...content.notes].map((note) => make("p", { class: "note" }, note));
  // Warnings come before the view's own text, which can be long.
  const nodes = [make("dl", { id: "facts" }, ...content.facts), ...notes, ...content.boxes];
  return { nodes, cut: content.cut };
}

function describeSubject(request: ConsentRequest, content: Content): void {
  const { notes, words } = content;
  switch (request.kind) {
    case "tool":
    case "app-tool":
      describeTool(request, content);
      break;
    case "link":
      describeLink(request.link, content);
      break;
    case "message":
      for (const block of request.content) describeBlock(block, content);
      break;
    case "download":
      box(content, words.files, describeFiles(request, words));
      fact(content, words.size, bytes(request.size, words));
      break;
    case "display-mode":
      fact(
        content,
        words.display,
        name(content, words.modes[request.mode as keyof DialogWords["modes"]] ?? request.mode),
      );
      break;
    case "sampling":
      jsonBox(content, words.request, request.params);
      break;
    case "domains":
      box(content, words.domains, request.domains.join("\n"));
      notes.add(words.sends);
      break;
  }
}

function describeTool(
  { tool, arguments: args }: Extract<ConsentRequest, { kind: "tool" | "app-tool" }>,
  content: Content,
): void {
  const { words } = content;
  const title = tool.title ?? tool.annotations?.title;
  const called = showText(tool.name, words);
  content.cut += called.cut;
  const code = make("code", {}, make("bdi", {}, called.text));
  // The name is what is called; a title alone could be another tool's.
  fact(content, words.tool, ...(title ? [strong(content, title), " ", code] : [code]));
  if (Object.keys(args).length === 0) fact(content, words.arguments, words.noArguments);
  else jsonBox(content, words.arguments, args);
  if (tool.annotations?.destructiveHint) content.notes.add(words.destructive);
}

function describeLink(
  { href, host }: Extract<ConsentRequest, { kind: "link" }>["link"],
  content: Content,
): void {
  const { words } = content;
  if (host) fact(content, words.site, make("strong", { dir: "ltr" }, host));
  const at = host ? href.indexOf(host) : href.length;
  const emphasised = make("b", {}, href.slice(at, at + host.length));
  const full = make(
    "div",
    { dir: "ltr" },
    href.slice(0, at),
    emphasised,
    href.slice(at + host.length),
  );
  addBox(content, words.address, full);
  if (href.startsWith("http:")) content.notes.add(words.unencrypted);
  if (/(?:^|\.)xn--/.test(host)) content.notes.add(words.coded);
}

/** Shows every field that the gate's `shownBlock` passes on. */
function describeBlock(block: ContentBlock, content: Content): void {
  const { words } = content;
  switch (block.type) {
    case "text":
      box(content, words.message, block.text);
      break;
    case "resource_link": {
      const { uri, name, title, description, mimeType, size } = block;
      const weight = size !== undefined && bytes(size, words);
      lines(content, [uri, name, title, mimeType, weight, description]);
      break;
    }
    case "resource": {
      const { uri, mimeType, ...rest } = block.resource;
      lines(content, [
        uri,
        mimeType,
        "text" in rest ? rest.text : bytes(base64Size(rest.blob), words),
      ]);
      if (!("text" in rest)) content.notes.add(words.unseen);
      break;
    }
    default:
      lines(content, [block.mimeType, bytes(base64Size(block.data), words)]);
      content.notes.add(words.unseen);
  }
}

function describeFiles(
  { names, sizes }: Extract<ConsentRequest, { kind: "download" }>,
  words: DialogWords,
): string {
  return names
    .map((file, at) => {
      const size = sizes?.[at];
      return size === undefined ? file : `${file} (${bytes(size, words)})`;
    })
    .join("\n");
}

function base64Size(data: string): number {
  return (data.length * 3) / 4;
}

/** Isolated, so that right-to-left text doesn't reorder ours. */
function name({ words }: Content, text: string): HTMLElement {
  return make("bdi", {}, showName(text, words));
}

function strong(content: Content, text: string): HTMLElement {
  return make("strong", {}, name(content, text));
}

function fact(content: Content, label: string, ...value: (Node | string)[]): void {
  content.facts.push(make("div", {}, make("dt", {}, label), make("dd", {}, ...value)));
}

/** An attachment, line by line. */
function lines(content: Content, parts: readonly (string | false | undefined)[]): void {
  box(content, content.words.attachment, parts.filter(Boolean).join("\n"));
}

function box(content: Content, label: string, value: string): void {
  const { text, cut } = showText(value, content.words);
  addBox(content, label, make("div", { dir: "auto" }, text));
  content.cut += cut;
}

function jsonBox(content: Content, label: string, value: unknown): void {
  const { text, cut } = showJson(value, content.words);
  addBox(content, label, make("div", { dir: "ltr" }, text));
  content.cut += cut;
}

function addBox(content: Content, label: string, inner: HTMLElement): void {
  const region = { class: "box", role: "group", "aria-label": label };
  content.boxes.push(make("p", { class: "label" }, label), make("div", region, inner));
}

function bytes(size: number, { language }: DialogWords): string {
  const step = Math.min(3, Math.max(0, Math.floor(Math.log10(Math.max(size, 1)) / 3)));
  const unit = ["byte", "kilobyte", "megabyte", "gigabyte"][step] as string;
  const format = { style: "unit", unit, maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(language, format).format(size / 1000 ** step);
}
