// Checks a view's scripts for things that a strict host forbids or that no host understands.

import { type Effect, type Finding, finding, type Place } from "../finding.ts";
import { asRecord, type Json } from "../json.ts";
import type { ViewDocument } from "./document.ts";
import type { Fact, FactKind } from "./script-facts.ts";

interface Words {
  code: Finding["code"];
  effect: Effect;
  cause(what: string, resource: string): string;
  remedy: string;
  /** Also where the author expects it to fail. */
  evenGuarded?: boolean;
}

const RULES: Partial<Record<FactKind, Words>> = {
  "dynamic-code": {
    code: "dynamic-code",
    effect: "blank",
    cause: (what, resource) =>
      what === "import(…)"
        ? `${resource} imports code from a generated address; some hosts allow neither blob: nor data: there.`
        : `${resource} runs text as code with ${what}, which the policy of every view forbids.`,
    remedy:
      "use a build that doesn't need it (Vue's runtime-only build, Ajv's standalone code, precompiled templates); no entry of _meta.ui.csp allows it",
  },
  storage: {
    code: "storage",
    effect: "blank",
    cause: (what, resource) =>
      `${resource} uses ${what}; in hosts that give views no origin, that throws a SecurityError.`,
    remedy:
      "wrap it: let store; try { store = localStorage } catch { store = new Map() }; or keep state with the host: app.state of @vitrine/view, or ui/update-model-context",
  },
  "parent-access": {
    code: "parent-access",
    effect: "blank",
    cause: (what, resource) =>
      `${resource} accesses ${what}, but the host's page has another origin: the browser throws a SecurityError.`,
    remedy:
      "read what you need from the host context: app.getHostContext() has theme, locale, toolInfo and containerDimensions",
  },
  dialog: {
    code: "dialog",
    effect: "broken",
    cause: (what, resource) =>
      `${resource} calls ${what}, but the sandbox of a view shows no dialogs: nothing appears, and the result is negative.`,
    remedy:
      'show a <dialog> element in the view, or ask in the conversation: app.sendMessage({ role: "user", content: [...] })',
    evenGuarded: true,
  },
  popup: {
    code: "popup",
    effect: "poor",
    cause: (what, resource) =>
      `${resource} calls ${what}, but the sandbox of a view opens no windows.`,
    remedy: "ask the host: app.openLink({ url })",
    evenGuarded: true,
  },
  navigation: {
    code: "navigation",
    effect: "poor",
    cause: (what, resource) =>
      `${resource} sets ${what}; a view that leaves its document is stopped.`,
    remedy:
      "ask the host to open a page: app.openLink({ url }); to start over, render again without reloading",
    evenGuarded: true,
  },
  "unknown-method": {
    code: "tool-call-form",
    effect: "broken",
    cause: (_, resource) =>
      `${resource} calls app.callTool, which is a method of clients; the SDK for views doesn't have it.`,
    remedy: 'write: app.callServerTool({ name: "…", arguments: { … } })',
  },
  positional: {
    code: "tool-call-form",
    effect: "broken",
    cause: (what, resource) =>
      `${resource} calls ${what} with the name alone; the SDK takes one object, and hosts reject the resulting request.`,
    remedy: 'write: app.callServerTool({ name: "…", arguments: { … } })',
    evenGuarded: true,
  },
  "text-message": {
    code: "text-message",
    effect: "blank",
    cause: (_, resource) =>
      `${resource} posts its messages as text (JSON.stringify); hosts accept objects and drop text silently.`,
    remedy:
      'post the object itself: window.parent.postMessage({ jsonrpc: "2.0", id, method, params }, "*")',
    evenGuarded: true,
  },
};

const PERMISSIONS = ["camera", "microphone", "geolocation", "clipboardWrite"] as const;

/** Problems in scripts; `meta` is what the resource declares. */
export function lintFacts(
  facts: readonly Fact[],
  document: ViewDocument,
  { place, meta }: { place: Place; meta: Json },
): Finding[] {
  const resource = place.resource ?? "The view";
  const found: Finding[] = [];
  for (const { kind, what, offset, isGuarded } of facts) {
    const rule = RULES[kind];
    if (!rule || (isGuarded && !rule.evenGuarded)) continue;
    const words = { cause: rule.cause(what, resource), remedy: rule.remedy };
    found.push(finding(rule.code, rule.effect, { ...place, ...document.at(offset) }, words));
  }
  for (const permission of PERMISSIONS) {
    const fact = facts.find(({ kind }) => kind === permission);
    if (!fact || permission in asRecord(meta.permissions)) continue;
    found.push(
      finding(
        "permission-undeclared",
        "poor",
        { ...place, ...document.at(fact.offset) },
        {
          cause: `${resource} uses ${fact.what} but doesn't declare the permission, so no host grants it.`,
          remedy: `add to the contents of resources/read: _meta: { ui: { permissions: { ${permission}: {} } } }`,
        },
      ),
    );
  }
  // One per problem: a bundle does the same thing in many places.
  const first = new Map<string, Finding>();
  for (const one of found)
    if (!first.has(one.code + one.remedy)) first.set(one.code + one.remedy, one);
  return [...first.values()];
}

/** Whether the view connects to its host at all, as far as its scripts show. */
export function lintHandshake(
  facts: readonly Fact[],
  document: ViewDocument,
  { place, isWhole }: { place: Place /** No script is loaded from elsewhere. */; isWhole: boolean },
): Finding[] {
  const has = (kind: FactKind): Fact | undefined => facts.find((fact) => fact.kind === kind);
  const resource = place.resource ?? "The view";
  const byHand =
    'await app.connect() of an SDK; or without one: parent.postMessage({ jsonrpc: "2.0", id: 1, method: "ui/initialize", params: { protocolVersion: "2026-01-26", appInfo: { name: "app", version: "1" }, appCapabilities: {} } }, "*"), and after the response { jsonrpc: "2.0", method: "ui/notifications/initialized" }';
  if (!has("handshake")) {
    const foreign = has("old-protocol") ?? has("openai");
    if (foreign) {
      const name =
        foreign.kind === "openai"
          ? "ChatGPT's window.openai"
          : `MCP-UI's older messages ("${foreign.what}")`;
      return [
        finding(
          "foreign-protocol",
          "blank",
          { ...place, ...document.at(foreign.offset) },
          {
            cause: `${resource} uses ${name} and never sends ui/initialize; a host of MCP Apps keeps it hidden.`,
            remedy: `add the handshake: ${byHand}`,
          },
        ),
      ];
    }
    if (!isWhole) return [];
    return [
      finding("no-handshake", "blank", place, {
        cause: `${resource} never sends ui/initialize: nothing in its ${document.scripts.length === 0 ? "page (it has no script)" : "scripts"} connects to the host, and a strict host keeps it hidden.`,
        remedy: `add the handshake: ${byHand}`,
      }),
    ];
  }
  const greeting = has("handshake");
  if (!has("initialized") && isWhole && greeting) {
    return [
      finding(
        "half-handshake",
        "blank",
        { ...place, ...document.at(greeting.offset) },
        {
          cause: `${resource} sends ui/initialize but never ui/notifications/initialized; the host waits for it and keeps the view hidden.`,
          remedy:
            'send it as soon as ui/initialize is answered: parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/initialized" }, "*")',
        },
      ),
    ];
  }
  return [];
}
