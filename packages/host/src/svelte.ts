import { getContext, setContext } from "svelte";
import { type Readable, readable } from "svelte/store";
import { followPermissions, type Permission } from "./consent/permission.ts";
import type { Conversation } from "./conversation/conversation.ts";
import type { Diagnostic, Stage } from "./diagnostic.ts";
import { MCP_APP_PROPERTIES, type McpAppElement, type McpAppProperties } from "./element.ts";
import type { Host } from "./host.ts";
import { NO_HOST } from "./missing-host.ts";
import type { ModelContextEntry } from "./model/model-context.ts";
import { followView, NO_VIEW, type ViewState } from "./view-state.ts";

export type { ViewState } from "./view-state.ts";

interface Provided {
  host: Host;
  conversation(): Conversation | undefined;
}

const VITRINE = Symbol("vitrine");

/**
 * Gives a host, and the conversation with an id if you name one, to the components below. Create the
 * host once, outside of components; on a server too. Pass `() => id` if the id is a prop. Components
 * read it when they are created, so render them in `{#key id}` if it can change.
 */
export function provideVitrine(
  host: Host,
  conversation?: string | (() => string | undefined),
): void {
  setContext<Provided>(VITRINE, {
    host,
    conversation: () => {
      const id = typeof conversation === "function" ? conversation() : conversation;
      return id ? host.conversation(id) : undefined;
    },
  });
}

/** The host that a component above has provided. */
export function useHost(): Host {
  return provided().host;
}

/** The conversation with this id, or else the one that a component above has provided. */
export function useConversation(id?: string): Conversation | undefined {
  const { host, conversation } = provided();
  return id === undefined ? conversation() : host.conversation(id);
}

/** What the views of a conversation tell the model, as a store. */
export function useModelContext(
  conversation?: Conversation,
): Readable<readonly ModelContextEntry[]> {
  const { host, conversation: own } = provided();
  const { modelContext } = conversation ?? own() ?? host;
  return readable(modelContext.snapshot(), (set) => {
    set(modelContext.snapshot());
    return modelContext.onChange(() => set(modelContext.snapshot()));
  });
}

/** The remembered answers of the user; `useHost().permissions.revoke(entry)` forgets one. */
export function usePermissions(): Readable<readonly Permission[]> {
  const { permissions } = useHost();
  return readable<readonly Permission[]>([], (set) => {
    // A server has no user in front of it.
    if (globalThis.document) return followPermissions(permissions, set);
  });
}

/** The state of the view with this key, as a store, to draw its bar and cards yourself. */
export function useView(key: string): Readable<ViewState> {
  const { host, conversation } = provided();
  const of = { host, conversation: conversation(), key };
  return readable(NO_VIEW, (set) => followView(of, set));
}

function provided(): Provided {
  const found = getContext<Provided | undefined>(VITRINE);
  if (!found) throw new Error(NO_HOST);
  return found;
}

/** Parameters of the action. */
export interface McpAppParameters extends McpAppProperties {
  /** Called with every failure, and with hints for authors. */
  onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  /** Called when the view can't be shown, or was stopped. */
  onError?: ((diagnostic: Diagnostic) => void) | undefined;
  /** Called as the view comes up; it is visible at `"shown"`. */
  onStage?: ((stage: Stage) => void) | undefined;
}

const elements = new WeakMap<Element, McpAppElement>();

/**
 * Shows a view inside an element: `<div use:mcpApp={{ host, app, input, result }} out:keepView>`. The
 * element's content is visible until the view is, and if it can't be. `host` may be a conversation.
 *
 * Svelte removes a node before it notifies the action. `out:keepView` keeps the view's document when
 * the view is rendered elsewhere; without it the view loads again there and receives everything again.
 */
export function mcpApp(
  node: HTMLElement,
  parameters: McpAppParameters,
): { update(parameters: McpAppParameters): void; destroy(): void } {
  const element = document.createElement("mcp-app");
  const fallback = document.createElement("div");
  let current = parameters;
  elements.set(node, element);
  fallback.slot = "fallback";
  fallback.append(...node.childNodes);
  // An element without content keeps the host's own card.
  if (fallback.textContent?.trim() || fallback.childElementCount > 0) element.append(fallback);
  element.addEventListener("diagnostic", (event) => {
    const { detail } = event as CustomEvent<Diagnostic>;
    current.onDiagnostic?.(detail);
    if (detail.level === "error") current.onError?.(detail);
  });
  element.addEventListener("stage", (event) =>
    current.onStage?.((event as CustomEvent<Stage>).detail),
  );
  const update = (next: McpAppParameters): void => {
    current = next;
    for (const name of MCP_APP_PROPERTIES) Object.assign(element, { [name]: next[name] });
  };
  update(parameters);
  node.append(element);
  return { update, destroy: () => element.remove() };
}

/**
 * A transition without a duration, for `out:keepView` next to `use:mcpApp`: Svelte runs it while the
 * node is still in the page, which is the last moment to move the view's frame. Write
 * `out:keepView|global` if a block further out is removed.
 */
export function keepView(node: Element): { duration: number } {
  elements.get(node)?.detach();
  return { duration: 0 };
}
