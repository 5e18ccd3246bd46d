import type { Sentences } from "@vitrine/protocol/sentences";
import type { ViewErrorCode } from "./errors.ts";
import type { InspectionCode } from "./inspection.ts";

// How each message that takes an object is written, by its method on the wire.
const WRITTEN: Record<string, string> = {
  "tools/call": 'callServerTool({ name: "search", arguments: { query: "tea" } })',
  "resources/read": 'readServerResource({ uri: "file:///notes.txt" })',
  "resources/list": 'listServerResources({ cursor: "2" })',
  "sampling/createMessage": "createSamplingMessage({ messages: […], maxTokens: 200 })",
  "ui/message": 'sendMessage({ role: "user", content: [{ type: "text", text: "Hello" }] })',
  "ui/open-link": 'openLink({ url: "https://example.com" })',
  "ui/download-file": "downloadFile({ contents: […] })",
  "ui/update-model-context":
    'updateModelContext({ content: [{ type: "text", text: "3 items chosen" }] })',
  "ui/request-display-mode": 'requestDisplayMode({ mode: "fullscreen" })',
  "ui/notifications/size-changed": "sendSizeChanged({ width: 320, height: 200 })",
  "notifications/message": 'sendLog({ level: "info", data: "Ready" })',
};

const FULL_SENTENCES: Record<ViewErrorCode | InspectionCode, (about: unknown) => string> = {
  "no-host": (about) =>
    `This page (${about}) is not in a frame, so there is no Host to connect to. Open it through a Host, or give connect() a channel of your own.`,
  "not-connected": (about) =>
    `"${about}" was to be sent before connect() was called, or after the connection closed. Write "await app.connect()" first.`,
  connected: () =>
    "The App is connected already. Call connect() once, or close() before connecting again.",
  positional: (about) => {
    const example = WRITTEN[`${about}`] ?? `{ method: "${about}", params: { … } }`;
    return `"${about}" got a string where its params object belongs. Write it as ${example}.`;
  },
  "no-sampling": (about) =>
    `The Host does not offer "${about}", or not with tools. Look at getHostCapabilities()?.sampling before asking, and at its "tools" before passing tools.`,
  "no-mode": (about) =>
    `The Host does not offer the display mode "${about}". Choose one of getHostContext()?.availableDisplayModes.`,
  "tool-exists": (about) =>
    `A tool named "${about}" is registered already. Call remove() or update() on what registerTool() returned the first time.`,
  "old-spelling": (about) =>
    `The Host says ${about}, as before the stable release. It was understood here, but other Views may not understand it: update the Host.`,
  "undeclared-mode": (about) =>
    `The display mode "${about}" was asked for but not declared, so a Host may refuse it. Add it to availableDisplayModes in the capabilities given to the App.`,
  "undeclared-tools": (about) =>
    `The tool "${about}" was registered after connect() by an App that declared no tools, so the Host will not ask for it. Register it before, or give the App the capability { tools: { listChanged: true } }.`,
};

/** What the View SDK says: each sentence names the value it is about and the remedy. */
export const VIEW_SENTENCES: Sentences = FULL_SENTENCES;
