// What to read when a View is not seen, or not as it should be. Loaded on demand. The reader may be
// the person at the screen, whoever runs the host, or the author of the View: the title is for all of
// them, the remedy says whose it is where only one of them can do it.

import { RESOURCE_MIME_TYPE } from "@vitrine/protocol/apps";
import type { Diagnostic, DiagnosticCode } from "./diagnostic.ts";

/** A diagnostic in words; whatever it quotes is to be shown as text. */
export interface Explanation {
  /** What happened. */
  title: string;
  /** Why, as far as can be told. */
  cause: string;
  /** What to do about it, with the line to write where there is one. */
  remedy: string;
  /** All that is known, to be sent to whoever can help. */
  details: string;
}

/** What the words are about, as far as it is known. */
interface Subject {
  about: string;
  server: string;
  /** Origin of the host's page. */
  page: string;
}

type Words = (subject: Subject) => [title: string, cause: string, remedy: string];

const INITIALIZE =
  "The author calls connect() when the page loads: await app.connect() with an SDK, or by hand the request ui/initialize, then the notification ui/notifications/initialized.";

const SENTENCES: Record<DiagnosticCode, Words> = {
  "no-resource": ({ server }) => [
    "This tool has no app.",
    `The tool of ${server} names no UI resource, so its answer is text only.`,
    'If it should have one, its author adds to the tool: _meta: { ui: { resourceUri: "ui://…" } }.',
  ],
  "bad-resource-uri": ({ server, about }) => [
    "The app has no valid address.",
    `The tool of ${server} names ${about || "something"} where an address that begins with ui:// belongs.`,
    'The tool\'s author writes: _meta: { ui: { resourceUri: "ui://server/page" } }.',
  ],
  "resource-failed": ({ server, about }) => [
    "The app could not be fetched.",
    `${server} did not answer resources/read, or answered with an error: ${about}.`,
    "Try again. If it goes on, see whether the server runs, is reached, and lets this user read the resource.",
  ],
  "resource-empty": ({ server, about }) => [
    "The app's page is missing.",
    `${server} answered resources/read, but not with exactly one item that has the asked address and a text: ${about}.`,
    "The server's author returns: contents: [{ uri, mimeType, text: html }], with the uri that was asked for.",
  ],
  "resource-type": ({ server, about }) => [
    "What the server sent is not an app.",
    `${server} sent it with another type than that of MCP Apps: ${about}.`,
    `The server's author writes: mimeType: "${RESOURCE_MIME_TYPE}".`,
  ],
  "resource-large": ({ server, about }) => [
    "The app is too large.",
    `The page of ${server} has more than 5 MiB: ${about}.`,
    'Its author keeps images, fonts and data out of the page and declares where they come from: _meta: { ui: { csp: { resourceDomains: ["https://cdn.example"] } } }.',
  ],
  "resource-changed": ({ server, about }) => [
    "The app has changed since it was last shown here.",
    `${server} sends another page under the same address: ${about}.`,
    "Nothing to do if the server was updated. If it was not, ask who changed it.",
  ],
  "resource-refused": ({ server, about }) => [
    "The app is not allowed here.",
    `The review of this host refused the page that ${server} sends: SHA-256 ${about}.`,
    "Who runs the host looks at the page and lets its hash pass in the option review of createHost.",
  ],
  "sandbox-timeout": ({ about }) => [
    "The place where apps run did not answer.",
    `The sandbox at ${about || "the given address"} is not reached, or very slow.`,
    "Try again. Who runs the host opens that address in a browser: a running sandbox answers that it opens in a frame of its host only.",
  ],
  "sandbox-refused": explainRefusal,
  "egress-partial": ({ about }) => [
    "Apps are not shown in this browser.",
    `This host asks for strict control over where apps may connect, and the browser cannot give it. ${about}`,
    'Use a current Chromium browser; or, if the weaker protection will do, the host sets: egress: "partial".',
  ],
  "document-timeout": () => [
    "The app did not start.",
    "Its page was loaded, but it has not said a word: its script failed, was blocked, or does not connect to the host.",
    `Look into the browser's console for the first error in the app's frame. ${INITIALIZE}`,
  ],
  "initialize-refused": ({ about }) => [
    "The app and this host do not understand each other.",
    `The app's ui/initialize was refused: ${about}.`,
    'Its author sends: { protocolVersion: "2026-01-26", appInfo: { name, version }, appCapabilities: {} }.',
  ],
  "initialized-timeout": () => [
    "The app did not finish starting.",
    "It asked to be initialized and was answered, but never said that it is ready.",
    INITIALIZE,
  ],
  killed: explainKill,
  "focus-theft": ({ server }) => [
    "The app was stopped: it took the keyboard while you were typing.",
    `Three times or more, a page of ${server} moved the focus to itself without a click or key of yours in it.`,
    "Start it again if you trust it. Its author calls focus() only in answer to what the user does in the app.",
  ],
  unresponsive: () => [
    "The app does not answer.",
    "It has been busy for ten seconds or more, or hangs.",
    "Wait, or start it again. Its author moves long work to a Worker, or breaks it up.",
  ],
  gone: () => [
    "The app was closed by the browser.",
    "The process that it ran in has ended or does not answer; mostly it had used up its memory.",
    "Start it again.",
  ],
  blocked: ({ about }) => [
    "The app was kept from loading something.",
    `It has not declared where it connects to: ${about}.`,
    `If it needs that, its author declares it: _meta: { ui: { csp: { connectDomains: [${quoteOrigin(about)}] } } } (resourceDomains for scripts, styles, images and fonts, frameDomains for frames).`,
  ],
  "policy-rejected": ({ about }) => [
    "A part of what the app declared is not in force.",
    about,
    'Its author corrects the entry or removes it; a domain is written as "https://api.example.com".',
  ],
  policy: ({ about }) => [
    "What the app may do was decided.",
    `The sandbox granted: ${about}.`,
    "Nothing to do; it is written down for whoever reviews it.",
  ],
  "external-domains": ({ server, about }) => [
    "The app can send what it sees to others.",
    `${server} declared these addresses for it: ${about}.`,
    'Nothing to do if you know them. The operator of the sandbox can close some: policy: { blockDomains: ["example.com"] }.',
  ],
  refused: ({ about }) => [
    "The app was not allowed to do something.",
    about,
    "Nothing to do if that was meant. Else change the host's consent, or what the tool declares in _meta.ui.visibility.",
  ],
  malformed: ({ about }) => [
    "The app sent something that the host cannot read.",
    about || "Too many of its messages do not have the form of the protocol.",
    "Its author sends what the method takes; an SDK's functions do that by themselves.",
  ],
  dropped: ({ about }) => [
    "Messages of the app were dropped.",
    `They were too many, too large, or not plain JSON: ${about}.`,
    "Its author sends less: at most 100 messages a second, each smaller than 1 MiB, made of plain objects.",
  ],
  order: ({ about }) => [
    "The host told the app something at the wrong time.",
    `${about}. It was not sent.`,
    "Who writes the host sends the input of a tool once and before its result, and nothing after the end.",
  ],
  compatibility: ({ about }) => [
    "The app speaks an older form of the protocol.",
    `It was understood: ${about}.`,
    "Nothing to do here. Its author updates the SDK, because other hosts may not understand it.",
  ],
  "left-out": ({ about }) => [
    "A part of what the host says was left out.",
    `An app could not have read it: ${about}.`,
    "Who writes the host removes that key, or gives it the form of the specification.",
  ],
  listener: ({ about }) => [
    "A function of the host failed.",
    `The handler for ${about} threw an error, and the app got "Internal error" for an answer.`,
    "Who writes the host finds the error in the diagnostic's cause. To decline on purpose, throw an RpcError.",
  ],
};

function explainRefusal({ about, page }: Subject): ReturnType<Words> {
  const title = "The place where apps run refused this one.";
  if (about === "same-origin") {
    return [
      title,
      "Host and sandbox have the same origin, so every app could read this page.",
      'Serve the sandbox from another one, and name it: sandbox: "http://proxy.localhost:8081/". For a single domain, register views on the server: sandbox: { register }.',
    ];
  }
  if (about === "silent") {
    return [
      title,
      "A page was loaded from the sandbox's address, but not the sandbox's, or the sandbox does not know this host.",
      `See that the address is that of the sandbox, and let it know this page: createSandbox({ origins: { …, hosts: ["${page}"] } }).`,
    ];
  }
  return [
    title,
    `It said: ${about || "nothing more"}.`,
    "Who runs the sandbox finds the reason in onDiagnostic and onError; a reload helps if the page was open for long.",
  ];
}

function explainKill({ about, server }: Subject): ReturnType<Words> {
  const [code, ...rest] = about.split(" ");
  const detail = rest.join(" ");
  if (code === "navigation") {
    return [
      `The app was stopped: it tried to go to ${detail || "another page"}.`,
      `A page of ${server} must not leave its frame; what it knows could go along.`,
      "Its author asks the host to open links: app.openLink({ url }).",
    ];
  }
  if (code === "flood") {
    return [
      "The app was stopped: it sent too many messages.",
      "More than 100 a second, again and again.",
      "Start it again. Its author sends changes once they rest, and not from every event or frame.",
    ];
  }
  return [
    `The app was stopped: it sent ${detail || "messages that are too large"}.`,
    "What a host has to read could make it hang.",
    "Its author sends less at once, and plain JSON only.",
  ];
}

/** Puts a diagnostic into words. */
export function explainDiagnostic(diagnostic: Diagnostic): Explanation {
  const { code, level, stage, elapsed, view, server, detail } = diagnostic;
  const about = shorten(detail ?? readCause(diagnostic));
  const page = globalThis.location?.origin ?? "";
  const [title, cause, remedy] = SENTENCES[code]({ about, server: server ?? "the server", page });
  const facts = { code, level, stage, elapsed, server, view, detail: detail ?? about, page };
  return { title, cause, remedy, details: JSON.stringify(facts, null, 2) };
}

/** What an error was about; its message may begin with the anchor of its code. */
function readCause({ code, cause }: Diagnostic): string {
  const text = typeof cause === "string" ? cause : (cause as Error | undefined)?.message;
  return `${text ?? ""}`.replace(`errors.md#${code}: `, "");
}

const LONGEST = 300;

function shorten(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** The origin that a report names, as it would be declared. */
function quoteOrigin(about: string): string {
  return JSON.stringify(/\w+:\/\/[^\s/"]+/.exec(about)?.[0] ?? "https://api.example.com");
}
