// Explains why a view isn't shown, or not as it should be. Loaded on demand. The title is for the
// user; the remedy names the author or the operator where only they can act.

import { RESOURCE_MIME_TYPE } from "@vitrine/protocol/apps";
import type { Diagnostic, DiagnosticCode } from "./diagnostic.ts";
import { plainName } from "./plain-name.ts";

/** A diagnostic as text. Show quoted values as text, never as HTML. */
export interface Explanation {
  /** What happened. */
  title: string;
  /** Why, as far as it is known. */
  cause: string;
  /** What to do, with the line to write where there is one. */
  remedy: string;
  /** Everything that is known, to send to the person who can help. */
  details: string;
}

/** The values that a message mentions. */
interface Subject {
  about: string;
  server: string;
  /** Origin of the host's page. */
  page: string;
}

type Words = (subject: Subject) => [title: string, cause: string, remedy: string];

const INITIALIZE =
  "The app's author calls connect() when the page loads: await app.connect() with an SDK; without one, send the request ui/initialize and then the notification ui/notifications/initialized.";

const SENTENCES: Record<DiagnosticCode, Words> = {
  "no-resource": ({ server }) => [
    "This tool has no app.",
    `The tool of ${server} names no UI resource, so its result is text only.`,
    `If it should have an app, the tool's author adds: _meta: { ui: { resourceUri: "ui://…" } }.`,
  ],
  "bad-resource-uri": ({ server, about }) => [
    "The app's address is invalid.",
    `The tool of ${server} names ${about || "a value"} where an address that starts with ui:// is required.`,
    'The tool\'s author writes: _meta: { ui: { resourceUri: "ui://server/page" } }.',
  ],
  "resource-failed": ({ server, about }) => [
    "The app could not be fetched.",
    `${server} did not answer resources/read, or answered with an error: ${about}.`,
    "Try again. If it keeps failing, check that the server is running and reachable, and that this user may read the resource.",
  ],
  "server-lost": ({ server, about }) => [
    "The app's service is no longer available.",
    `The gateway refuses ${server} to this user: ${about}`,
    "Try again later. If it stays like this, ask the operator whether the server was removed or the access ended.",
  ],
  "resource-empty": ({ server, about }) => [
    "The app's page is missing.",
    `${server} answered resources/read, but not with exactly one item that has the requested address and a text: ${about}.`,
    "The server's author returns: contents: [{ uri, mimeType, text: html }], with the requested uri.",
  ],
  "resource-type": ({ server, about }) => [
    "The server did not send an app.",
    `${server} sent a type other than that of MCP Apps: ${about}.`,
    `The server's author writes: mimeType: "${RESOURCE_MIME_TYPE}".`,
  ],
  "resource-large": ({ server, about }) => [
    "The app is too large.",
    `The page of ${server} is larger than 5 MiB: ${about}.`,
    'Its author moves images, fonts and data out of the page and declares their origins: _meta: { ui: { csp: { resourceDomains: ["https://cdn.example"] } } }.',
  ],
  "resource-changed": ({ server, about }) => [
    "The app has changed since it was last shown here.",
    `${server} sends a different page under the same address: ${about}.`,
    "Nothing to do if the server was updated. If it wasn't, find out who changed it.",
  ],
  "resource-refused": ({ server, about }) => [
    "This app is not allowed here.",
    `The review rejected the page that ${server} sends: SHA-256 ${about}.`,
    "To allow it, the operator reviews the page and accepts its hash in the option review of createHost.",
  ],
  "sandbox-timeout": ({ about }) => [
    "This app could not be loaded in time.",
    `The sandbox at ${about || "the given address"} is unreachable or very slow.`,
    "Try again. The operator opens that address in a browser: a running sandbox answers that it only opens in a frame of its host.",
  ],
  "sandbox-unreachable": ({ about }) => [
    "This app could not be loaded.",
    `No sandbox answers at ${about || "the given address"}: it is down, or the address belongs to something else.`,
    "The operator starts the sandbox, or corrects the option sandbox of createHost. To test it: vitrine sandbox verify <address>.",
  ],
  "sandbox-refused": explainRefusal,
  "host-refused": ({ about, page }) => [
    "The sandbox doesn't accept this page.",
    `The sandbox at ${about} is running, but ${page} isn't one of its hosts.`,
    `The sandbox's operator adds this page: createSandbox({ origins: { …, hosts: ["${page}"] } }).`,
  ],
  "frame-blocked": ({ about, page }) => [
    "This page's own policy blocks the app.",
    `The Content-Security-Policy of ${page} doesn't allow frames of ${about}.`,
    `The operator of this page adds the sandbox to its policy: frame-src ${about}.`,
  ],
  "frame-isolated": ({ about, page }) => [
    "This page's isolation blocks the app.",
    `${page} sends Cross-Origin-Embedder-Policy, and the frame of ${about} has no such header, or no Cross-Origin-Resource-Policy: cross-origin.`,
    "The operator updates the sandbox, or lets its proxy pass both headers on. An app that declares frameDomains has neither: it can't be shown on such a page.",
  ],
  "egress-partial": ({ about }) => [
    "Apps can't be shown in this browser.",
    `Strict control over network access is required, and this browser can't provide it. ${about}`,
    'Use a current Chromium browser. If weaker protection is acceptable, the operator sets: egress: "partial".',
  ],
  "document-timeout": () => [
    "The app did not start.",
    "The app's page loaded but never connected: its script failed, was blocked, or doesn't call connect().",
    `Check the browser's console for the first error in the app's frame. ${INITIALIZE}`,
  ],
  "view-error": ({ about }) => [
    "The app has an error.",
    `Its page didn't catch it: ${about || "an error without a text"}.`,
    "Its author finds the line in the browser's console, in the app's frame. An error before connect() keeps the app from starting.",
  ],
  "initialize-refused": ({ about }) => [
    "This app is not compatible.",
    `The app's ui/initialize was rejected: ${about}.`,
    'Its author sends: { protocolVersion: "2026-01-26", appInfo: { name, version }, appCapabilities: {} }.',
  ],
  "initialized-timeout": () => [
    "The app did not finish starting.",
    "It sent ui/initialize and got a response, but never sent ui/notifications/initialized.",
    INITIALIZE,
  ],
  killed: explainKill,
  "focus-theft": ({ server }) => [
    "The app was stopped: it took the keyboard while you were typing.",
    `At least three times, a page of ${server} moved the focus to itself without a click or key press in it.`,
    "Restart it if you trust it. Its author calls focus() only in response to a user's action in the app.",
  ],
  stopped: () => [
    "You stopped this app.",
    "All its pending requests were rejected.",
    "Restart it if you want to use it.",
  ],
  unresponsive: () => [
    "The app is not responding.",
    "It has been busy for at least ten seconds, or hangs.",
    "Wait, or restart it. Its author moves long work to a Worker or splits it up.",
  ],
  gone: () => [
    "The browser closed the app.",
    "Its process has ended or doesn't respond. The usual reason is that it ran out of memory.",
    "Restart it.",
  ],
  blocked: ({ about }) => [
    "The app was blocked from loading something.",
    `Its policy doesn't allow this: ${about}.`,
    `If it needs that, its author declares it: _meta: { ui: { csp: { ${listOf(about)}: [${quoteOrigin(about)}] } } }.`,
  ],
  "policy-rejected": ({ about }) => [
    "Part of the app's declaration is not in force.",
    about,
    'Its author corrects or removes the entry. Write a domain as "https://api.example.com".',
  ],
  policy: ({ about }) => [
    "The app's permissions were decided.",
    `The sandbox granted: ${about}.`,
    "Nothing to do; this is recorded for reviews.",
  ],
  "external-domains": ({ server, about }) => [
    "The app can send what it sees to other sites.",
    `${server} declared these addresses for it: ${about}.`,
    'Nothing to do if you know them. The operator of the sandbox can block some: policy: { blockDomains: ["example.com"] }.',
  ],
  refused: ({ about }) => [
    "The app was not allowed to do something.",
    about,
    "Nothing to do if that was intended. Otherwise change the consent rules, or _meta.ui.visibility of the tool.",
  ],
  malformed: ({ about }) => [
    "The app sent unreadable messages.",
    about || "Too many of its messages don't follow the protocol.",
    "Its author sends the parameters that each method takes; an SDK does that.",
  ],
  dropped: ({ about }) => [
    "Messages of the app were dropped.",
    `They were too many, too large, or not plain JSON: ${about}.`,
    "Its author sends less: at most 100 messages a second, each smaller than 1 MiB, made of plain objects.",
  ],
  order: ({ about }) => [
    "The app was sent data at the wrong time.",
    `${about}. It was not sent.`,
    "The host's developer sends a tool's input once, before its result, and nothing after the end.",
  ],
  compatibility: ({ about }) => [
    "The app uses an older version of the protocol.",
    `It was understood: ${about}.`,
    "Nothing to do here. Its author updates the SDK, because other products may not understand it.",
  ],
  "left-out": ({ about }) => [
    "Some data for the app was left out.",
    `An app could not have read it: ${about}.`,
    "The host's developer removes that key, or gives it the form of the specification.",
  ],
  listener: ({ about }) => [
    "Something failed while handling the app's request.",
    `The handler for ${about} threw an error, and the app received "Internal error".`,
    "The host's developer finds the error in the diagnostic's cause. To decline on purpose, throw an RpcError.",
  ],
};

function explainRefusal({ about }: Subject): ReturnType<Words> {
  const title = "This app could not be loaded.";
  if (about === "same-origin") {
    return [
      title,
      "Host and sandbox have the same origin, so every app could read this page.",
      'Serve the sandbox from another origin and configure it: sandbox: "http://proxy.localhost:8081/". With a single domain, register views on the server: sandbox: { register }.',
    ];
  }
  return [
    title,
    `The sandbox answered: ${about || "nothing more"}.`,
    "The sandbox's operator finds the reason in onDiagnostic and onError. If the page was open for long, reload it.",
  ];
}

function explainKill({ about, server }: Subject): ReturnType<Words> {
  const [code, ...rest] = about.split(" ");
  const detail = rest.join(" ");
  if (code === "navigation") {
    return [
      `Blocked: the app tried to go to ${detail || "another page"}.`,
      `A page of ${server} must not leave its frame, because it could take data with it.`,
      "Its author asks for links to be opened: app.openLink({ url }).",
    ];
  }
  if (code === "flood") {
    return [
      "The app was stopped: it sent too many messages.",
      "It sent more than 100 a second, repeatedly.",
      "Restart it. Its author sends changes once they settle, not on every event or frame.",
    ];
  }
  if (code === "history") {
    return [
      "The app was stopped: it filled the browser's history.",
      `A page of ${server} added so many entries that Back would have stopped working.`,
      "Its author uses history.replaceState(), or adds one entry per user action.",
    ];
  }
  if (code === "storage") {
    return [
      `The app was stopped: it stored ${detail || "too much"} in the browser.`,
      `The data that the page of ${server} had stored was deleted.`,
      "Restart it. Its author stores less, or the sandbox's operator raises relay.storage.",
    ];
  }
  return [
    `The app was stopped: it sent ${detail || "messages that are too large"}.`,
    "Reading them could make this page hang.",
    "Its author sends less at once, as plain JSON.",
  ];
}

/** Explains a diagnostic. */
export function explainDiagnostic(diagnostic: Diagnostic): Explanation {
  const { code, level, stage, elapsed, view, server, detail } = diagnostic;
  const about = shorten(detail ?? readCause(diagnostic));
  const page = globalThis.location?.origin ?? "";
  const [title, cause, remedy] = SENTENCES[code]({
    about,
    server: plainName(server ?? "", "the server"),
    page,
  });
  const facts = { code, level, stage, elapsed, server, view, detail: detail ?? about, page };
  return { title, cause, remedy, details: JSON.stringify(facts, null, 2) };
}

/** The value that an error is about. Its message may start with the anchor of its code. */
function readCause({ code, cause }: Diagnostic): string {
  const text = typeof cause === "string" ? cause : (cause as Error | undefined)?.message;
  return `${text ?? ""}`.replace(`errors.md#${code}: `, "");
}

const LONGEST = 300;

function shorten(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** The list in which its author declares an origin, by the directive that blocked it. */
function listOf(about: string): string {
  if (/^(?:frame|child)-src/.test(about)) return "frameDomains";
  if (about.startsWith("base-uri")) return "baseUriDomains";
  return /^(?:script|style|img|font|media)-src/.test(about) ? "resourceDomains" : "connectDomains";
}

/** The origin in a report, as it would be declared. */
function quoteOrigin(about: string): string {
  return JSON.stringify(/\w+:\/\/[^\s/"]+/.exec(about)?.[0] ?? "https://api.example.com");
}
