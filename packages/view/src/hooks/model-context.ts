// What a View tells the model. `ui/update-model-context` replaces everything that the View sent
// before, so all parts of one `App` are merged here and sent together.

import { METHOD_NOT_FOUND, type RpcError } from "@vitrine/protocol";
import type { ContentBlock, McpUiUpdateModelContextRequest } from "@vitrine/protocol/apps";
import type { AnyApp } from "./cell.ts";

/** A part of the model's context: a sentence, or data; nothing if there is nothing to tell. */
export type ModelContextPart = string | object | null | undefined;

/** The context of one `App`. */
interface ModelContext {
  parts: Map<object, ModelContextPart>;
  schedule(): void;
}

// Long enough that typing isn't sent letter by letter.
const PAUSE = 250;

const contexts = new WeakMap<object, ModelContext>();

/** Sets a component's part of the context; `owner` is any object of its own. Sent after a pause. */
export function setModelContext(
  app: AnyApp | null | undefined,
  owner: object,
  part: ModelContextPart,
): void {
  if (!app) return;
  const context = contexts.get(app) ?? openContext(app);
  if (part === undefined || part === null || part === "") context.parts.delete(owner);
  else context.parts.set(owner, part);
  context.schedule();
}

function openContext(app: AnyApp): ModelContext {
  const parts: ModelContext["parts"] = new Map();
  let sent = "{}";
  let isRefused = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const send = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const params = merged([...parts.values()], app);
    const text = JSON.stringify(params);
    if (text === sent || isRefused) return;
    sent = text;
    try {
      await app.updateModelContext(params);
    } catch (error) {
      // The context is an extra: the View works without, so no component has to handle this.
      isRefused = (error as RpcError).code === METHOD_NOT_FOUND;
      if (app.peer.channel) app.onerror?.(error as Error);
    }
  };
  // The user leaves the View for the input of the chat: the model has to know before the message.
  globalThis.addEventListener?.("blur", () => {
    if (timer !== undefined) void send();
  });
  const context: ModelContext = {
    parts,
    schedule: () => {
      clearTimeout(timer);
      timer = setTimeout(send, PAUSE);
    },
  };
  contexts.set(app, context);
  return context;
}

/** All parts as one context: sentences as text, data as one object. */
function merged(parts: ModelContextPart[], app: AnyApp): McpUiUpdateModelContextRequest["params"] {
  const { text, structuredContent } = app.getHostCapabilities()?.updateModelContext ?? {};
  // Some hosts accept text only; the model reads JSON as well.
  const isTextOnly = text && !structuredContent;
  const content: ContentBlock[] = [];
  let data: Record<string, unknown> | undefined;
  for (const part of parts) {
    if (typeof part === "string") content.push({ type: "text", text: part });
    else if (isTextOnly) content.push({ type: "text", text: JSON.stringify(part) });
    else data = { ...data, ...part };
  }
  return { ...(content.length > 0 && { content }), ...(data && { structuredContent: data }) };
}
