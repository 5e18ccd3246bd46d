// The key of a remembered answer. A tool is identified by its whole definition: one that keeps its
// name but became destructive is another tool.

import type { ConsentRequest, ConsentScope, ViewOwner } from "./consent.ts";

/** Raise it when keys change their meaning: answers under other versions are never found. */
export const KEY_VERSION = 3;

/** Identifies the view that asks, within a page. */
export function viewKeyOf({ view }: Pick<ConsentRequest, "view">): string {
  return JSON.stringify(["view", view.conversation, view.server, view.key]);
}

/** Identifies the request, the user and the conversation, with the whole definition of a tool. */
export function subjectKeyOf(request: ConsentRequest): string {
  return keyOf(request, definitionOf(request), "conversation");
}

/** The same for a scope, short enough to store: the definition is a hash. */
export async function memoryKeysOf(request: ConsentRequest): Promise<Record<ConsentScope, string>> {
  const definition = definitionOf(request);
  const hash = definition && (await sha256(definition));
  return {
    conversation: keyOf(request, hash, "conversation"),
    always: keyOf(request, hash, "always"),
  };
}

/** Whether the answer under a key holds in this conversation of this user alone. */
export function isKeyOf(key: string, conversation: string, owner: ViewOwner): boolean {
  const prefix = JSON.stringify([KEY_VERSION, ...scopeOf(owner, [conversation])]);
  return key.startsWith(`${prefix.slice(0, -1)},`);
}

/** Whether the answer under a key holds in the default conversation, which has no id. */
export function isPageKey(key: string): boolean {
  return [null, ""].some((id) =>
    key.startsWith(`${JSON.stringify([KEY_VERSION, [id]]).slice(0, -1)},`),
  );
}

function keyOf(
  request: ConsentRequest,
  definition: string | undefined,
  scope: ConsentScope,
): string {
  const { kind, view, owner } = request;
  // A list, so that no name of a conversation is the same as none.
  const held = scopeOf(owner, scope === "conversation" ? [view.conversation ?? null] : []);
  return JSON.stringify([KEY_VERSION, ...held, view.server, kind, aboutOf(request), definition]);
}

function scopeOf(owner: ViewOwner | undefined, conversation: (string | null)[]): unknown[] {
  return [conversation, owner?.tenant ?? null, owner?.user ?? null];
}

function aboutOf(request: ConsentRequest): unknown {
  switch (request.kind) {
    case "tool":
    case "app-tool":
      return request.tool.name;
    case "link": {
      const { origin, protocol, pathname } = new URL(request.link.href);
      // `mailto:` has no origin.
      return origin === "null" ? protocol + pathname : origin;
    }
    case "domains":
      return [...request.domains].sort();
    case "display-mode":
      return request.mode;
    default:
      return undefined;
  }
}

function definitionOf(request: ConsentRequest): string | undefined {
  return "tool" in request ? canonicalJson(request.tool) : undefined;
}

/** JSON that doesn't depend on the order of keys. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
