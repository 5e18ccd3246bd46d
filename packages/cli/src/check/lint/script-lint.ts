// What the scripts of a View do that a strict Host forbids, or that no Host understands.

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
        ? `${resource} imports code from an address that it makes up; some Hosts allow neither blob: nor data: there.`
        : `${resource} runs text as code by ${what}, which the policy of every View forbids.`,
    remedy:
      "use a build that needs none (Vue's runtime-only build, Ajv's standalone code, precompiled templates); no entry of _meta.ui.csp allows it",
  },
  storage: {
    code: "storage",
    effect: "blank",
    cause: (what, resource) =>
      `${resource} uses ${what}; in a Host that gives Views no origin of their own that throws a SecurityError.`,
    remedy:
      "wrap it: let store; try { store = localStorage } catch { store = new Map() }; or keep state with the Host: app.state of @vitrine/view, or ui/update-model-context",
  },
  "parent-access": {
    code: "parent-access",
    effect: "blank",
    cause: (what, resource) =>
      `${resource} reaches for ${what}, and the Host's page is of another origin: the browser throws a SecurityError.`,
    remedy:
      "take what you need from the Host's context: app.getHostContext() has theme, locale, toolInfo and containerDimensions",
  },
  dialog: {
    code: "dialog",
    effect: "broken",
    cause: (what, resource) =>
      `${resource} calls ${what}, and the sandbox of a View shows no dialogs: nothing appears, and the answer is no.`,
    remedy:
      'show a <dialog> element in the View, or ask in the conversation: app.sendMessage({ role: "user", content: [...] })',
    evenGuarded: true,
  },
  popup: {
    code: "popup",
    effect: "poor",
    cause: (what, resource) =>
      `${resource} calls ${what}, and the sandbox of a View opens no windows.`,
    remedy: "ask the Host: app.openLink({ url })",
    evenGuarded: true,
  },
  navigation: {
    code: "navigation",
    effect: "poor",
    cause: (what, resource) =>
      `${resource} sets ${what}; a View that leaves its document is stopped.`,
    remedy:
      "ask the Host to open a page: app.openLink({ url }); to begin anew, render again without reloading",
    evenGuarded: true,
  },
  "unknown-method": {
    code: "tool-call-form",
    effect: "broken",
    cause: (_, resource) =>
      `${resource} calls app.callTool, which is a method of clients; in a View's SDK it is not a function.`,
    remedy: 'write: app.callServerTool({ name: "…", arguments: { … } })',
  },
  positional: {
    code: "tool-call-form",
    effect: "broken",
    cause: (what, resource) =>
      `${resource} calls ${what} with the name by itself; the SDK takes one object, and Hosts refuse what comes of it.`,
    remedy: 'write: app.callServerTool({ name: "…", arguments: { … } })',
    evenGuarded: true,
  },
  "text-message": {
    code: "text-message",
    effect: "blank",
    cause: (_, resource) =>
      `${resource} posts its messages as text (JSON.stringify); Hosts take objects and drop text in silence.`,
    remedy:
      'post the object itself: window.parent.postMessage({ jsonrpc: "2.0", id, method, params }, "*")',
    evenGuarded: true,
  },
};

const PERMISSIONS = ["camera", "microphone", "geolocation", "clipboardWrite"] as const;

/** What is wrong with what scripts do; `meta` is what the resource declares. */
export function lintFacts(
  facts: readonly Fact[],
  document: ViewDocument,
  { place, meta }: { place: Place; meta: Json },
): Finding[] {
  const resource = place.resource ?? "The View";
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
          cause: `${resource} uses ${fact.what} and does not declare the permission, so no Host grants it.`,
          remedy: `add to the contents of resources/read: _meta: { ui: { permissions: { ${permission}: {} } } }`,
        },
      ),
    );
  }
  // One for each thing: a bundle does the same in many places.
  const first = new Map<string, Finding>();
  for (const one of found)
    if (!first.has(one.code + one.remedy)) first.set(one.code + one.remedy, one);
  return [...first.values()];
}

/** Whether the View speaks to its Host at all, as far as its scripts tell. */
export function lintHandshake(
  facts: readonly Fact[],
  document: ViewDocument,
  { place, isWhole }: { place: Place /** No script comes from elsewhere. */; isWhole: boolean },
): Finding[] {
  const has = (kind: FactKind): Fact | undefined => facts.find((fact) => fact.kind === kind);
  const resource = place.resource ?? "The View";
  const byHand =
    'await app.connect() of an SDK; or by hand: parent.postMessage({ jsonrpc: "2.0", id: 1, method: "ui/initialize", params: { protocolVersion: "2026-01-26", appInfo: { name: "app", version: "1" }, appCapabilities: {} } }, "*"), and after its answer { jsonrpc: "2.0", method: "ui/notifications/initialized" }';
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
            cause: `${resource} speaks ${name} and never sends ui/initialize; a Host of MCP Apps keeps it hidden.`,
            remedy: `add the handshake: ${byHand}`,
          },
        ),
      ];
    }
    if (!isWhole) return [];
    return [
      finding("no-handshake", "blank", place, {
        cause: `${resource} never sends ui/initialize: nothing in its ${document.scripts.length === 0 ? "page (it has no script)" : "scripts"} speaks to the Host, and a strict Host keeps it hidden.`,
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
          cause: `${resource} sends ui/initialize and nowhere ui/notifications/initialized; the Host waits for it and keeps the View hidden.`,
          remedy:
            'send it as soon as ui/initialize is answered: parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/initialized" }, "*")',
        },
      ),
    ];
  }
  return [];
}
