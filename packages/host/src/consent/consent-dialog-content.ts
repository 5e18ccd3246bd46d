import type { ContentBlock } from "@vitrine/protocol/apps";
import type { ConsentRequest } from "./consent.ts";
import type { ConsentLabels } from "./consent-dialog-labels.ts";
import { showJson, showName, showText } from "./consent-dialog-text.ts";

type Attributes = Record<string, string>;

/** Makes an element; strings become text nodes and nothing else. */
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

/** Puts a number into a label. */
export const fill = (label: string, n: number): string =>
  label.replace("{n}", new Intl.NumberFormat().format(n));

/** What a question shows: facts that are read out, the View's own words in boxes, warnings. */
interface Content {
  facts: HTMLElement[];
  boxes: HTMLElement[];
  notes: string[];
}

/** Everything between the question and the buttons. */
export function describeRequest(request: ConsentRequest, labels: ConsentLabels): Node[] {
  const content: Content = { facts: [], boxes: [], notes: [] };
  const { server, appInfo } = request.view;
  fact(content, labels.server, make("strong", {}, name(server)));
  if (appInfo) fact(content, labels.callsItself, name(appInfo.title || appInfo.name));
  describeSubject(request, labels, content);
  if (request.userActive === false) content.notes.push(labels.inactive);
  return [
    make("dl", { id: "facts" }, ...content.facts),
    ...content.boxes,
    ...content.notes.map((note) => make("p", { class: "note" }, note)),
  ];
}

function describeSubject(request: ConsentRequest, labels: ConsentLabels, content: Content): void {
  const { notes } = content;
  switch (request.kind) {
    case "tool":
    case "app-tool":
      describeTool(request, labels, content);
      break;
    case "link":
      describeLink(request.link, labels, content);
      break;
    case "message":
      for (const block of request.content) describeBlock(block, labels, content);
      break;
    case "download":
      box(content, labels, labels.files, showText(request.names.map(showName).join("\n")));
      fact(content, labels.size, bytes(request.size));
      break;
    case "display-mode":
      fact(content, labels.display, name(labels.modes[request.mode] ?? request.mode));
      break;
    case "sampling":
      box(content, labels, labels.request, { ...showJson(request.params), dir: "ltr" });
      break;
    case "domains":
      box(content, labels, labels.domains, showText(request.domains.map(showName).join("\n")));
      notes.push(labels.sends);
      break;
  }
}

function describeTool(
  { tool, arguments: args }: Extract<ConsentRequest, { kind: "tool" | "app-tool" }>,
  labels: ConsentLabels,
  content: Content,
): void {
  const title = tool.title ?? tool.annotations?.title;
  const code = make("code", {}, name(tool.name));
  // The name is what is called; a title alone could be another tool's.
  fact(content, labels.tool, ...(title ? [make("strong", {}, name(title)), " ", code] : [code]));
  if (Object.keys(args).length === 0) fact(content, labels.arguments, labels.noArguments);
  else box(content, labels, labels.arguments, { ...showJson(args), dir: "ltr" });
  if (tool.annotations?.destructiveHint) content.notes.push(labels.destructive);
}

function describeLink(
  { href, host }: Extract<ConsentRequest, { kind: "link" }>["link"],
  labels: ConsentLabels,
  content: Content,
): void {
  if (host) fact(content, labels.site, make("strong", { dir: "ltr" }, host));
  const at = host ? href.indexOf(host) : href.length;
  const emphasised = make("b", {}, href.slice(at, at + host.length));
  const full = make(
    "div",
    { dir: "ltr" },
    href.slice(0, at),
    emphasised,
    href.slice(at + host.length),
  );
  addBox(content, labels.address, full);
  if (href.startsWith("http:")) content.notes.push(labels.unencrypted);
  if (/(?:^|\.)xn--/.test(host)) content.notes.push(labels.coded);
}

function describeBlock(block: ContentBlock, labels: ConsentLabels, content: Content): void {
  if (block.type === "text") box(content, labels, labels.message, showText(block.text));
  else if (block.type === "resource_link") fact(content, labels.attachment, name(block.uri));
  else if (block.type === "resource" && "text" in block.resource) {
    fact(content, labels.attachment, name(block.resource.uri));
    box(content, labels, labels.attachment, showText(block.resource.text));
  } else {
    const { mimeType, data, blob } = { ...block, ...("resource" in block && block.resource) } as {
      mimeType?: string;
      data?: string;
      blob?: string;
    };
    const size = bytes(((data ?? blob ?? "").length * 3) / 4);
    fact(content, labels.attachment, name(mimeType ?? block.type), ` ${size}`);
  }
}

/** Isolated, so that right-to-left words do not reorder ours. */
function name(text: string): HTMLElement {
  return make("bdi", {}, showName(text));
}

function fact(content: Content, label: string, ...value: (Node | string)[]): void {
  content.facts.push(make("div", {}, make("dt", {}, label), make("dd", {}, ...value)));
}

function box(
  content: Content,
  labels: ConsentLabels,
  label: string,
  { text, cut, dir = "auto" }: ReturnType<typeof showText> & { dir?: string },
): void {
  addBox(content, label, make("div", { dir }, text));
  if (cut > 0) content.notes.push(fill(labels.cut, cut));
}

/** Scrolls, so it can be reached by keyboard and has a name. */
function addBox(content: Content, label: string, inner: HTMLElement): void {
  const region = { class: "box", role: "group", "aria-label": label, tabindex: "0" };
  content.boxes.push(make("p", { class: "label" }, label), make("div", region, inner));
}

function bytes(size: number): string {
  const step = Math.min(3, Math.max(0, Math.floor(Math.log10(Math.max(size, 1)) / 3)));
  const unit = ["byte", "kilobyte", "megabyte", "gigabyte"][step] as string;
  const format = { style: "unit", unit, maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(undefined, format).format(size / 1000 ** step);
}
