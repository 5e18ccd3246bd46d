import type { ErrorMessages } from "@vitrine/protocol/error-messages";
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

const MESSAGES: Record<ViewErrorCode | InspectionCode, (about: unknown) => string> = {
  "no-host": (about) =>
    `This page (${about}) isn't in a frame, so there is no Host to connect to. Open it through a Host, or pass your own channel to connect().`,
  "not-connected": (about) =>
    `"${about}" was sent before connect() or after the connection closed. Call "await app.connect()" first.`,
  connected: () =>
    "The App is already connected. Call connect() once, or close() before connecting again.",
  positional: (about) => {
    const example = WRITTEN[`${about}`] ?? `{ method: "${about}", params: { … } }`;
    return `"${about}" got a string instead of its params object. Write ${example}.`;
  },
  "no-sampling": (about) =>
    `The Host doesn't offer "${about}", or not with tools. Check getHostCapabilities()?.sampling first, and its "tools" before you pass tools.`,
  "no-mode": (about) =>
    `The Host doesn't offer the display mode "${about}". Choose one of getHostContext()?.availableDisplayModes.`,
  "tool-exists": (about) =>
    `A tool named "${about}" is already registered. Call remove() or update() on the object that registerTool() returned.`,
  "old-spelling": (about) =>
    `The Host sends ${about}, a name from before the stable release. This SDK accepts it, other Views may not: update the Host.`,
  "undeclared-mode": (about) =>
    `The display mode "${about}" was requested but not declared, so a Host may reject it. Add it to availableDisplayModes in the App's capabilities.`,
  "undeclared-tools": (about) =>
    `The tool "${about}" was registered after connect() by an App that declared no tools, so the Host won't list it. Register it before connect(), or declare the capability { tools: { listChanged: true } }.`,
};

/** The messages of the view SDK's errors: each names the value and what to do. */
export const VIEW_ERROR_MESSAGES: ErrorMessages = MESSAGES;
