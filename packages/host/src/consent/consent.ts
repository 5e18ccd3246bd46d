import type { AllowedLink, ContentBlock, Implementation, Tool } from "@vitrine/protocol/apps";

/** The view that asks. */
export interface AskingView {
  /** The host's name for this instance. */
  readonly key: string;
  /** The host's name for its server. */
  readonly server: string;
  /** The conversation it belongs to; none outside a host. */
  readonly conversation?: string | undefined;
  readonly resourceUri?: string;
  /** The view's own name: show it as a claim, and as text. */
  readonly appInfo?: Implementation;
}

/** The user in front of the page. Remembered answers hold for this tenant and user only. */
export interface ViewOwner {
  readonly tenant?: string | undefined;
  readonly user?: string | undefined;
}

/** The request. Its arguments come from the view; show them as text. */
export type ConsentSubject =
  | { kind: "tool"; tool: Tool; arguments: Record<string, unknown> }
  | { kind: "app-tool"; tool: Tool; arguments: Record<string, unknown> }
  | { kind: "link"; link: AllowedLink }
  | { kind: "message"; content: readonly ContentBlock[] }
  | { kind: "download"; names: readonly string[]; size: number; sizes?: readonly number[] }
  | { kind: "display-mode"; mode: string }
  | { kind: "sampling"; params: unknown }
  | { kind: "domains"; domains: readonly string[] };

/** One question to the user, or to code that decides for them. */
export type ConsentRequest = ConsentSubject & {
  readonly view: AskingView;
  readonly owner?: ViewOwner | undefined;
  /**
   * Whether there was just a click or key press in the view, as reported by the sandbox; unknown over
   * other transports.
   */
  readonly userActive: boolean | undefined;
  /** Aborted when the view cancels or goes away: withdraw the question. */
  readonly signal: AbortSignal;
  /** Ends the view because the user asked for it; absent if the host can't. */
  readonly stop?: (() => void) | undefined;
};

/** Where a remembered answer holds. */
export type ConsentScope = "conversation" | "always";

/** An answer. */
export interface ConsentAnswer {
  allow: boolean;
  /**
   * Gives the same answer to this user for the same definition of this tool (or this kind), in this
   * conversation (`true` is short for that) or always.
   */
  remember?: boolean | ConsentScope;
  /** The reason for a refusal, for the view's author. The view can read it. */
  reason?: string;
}

/** Decides; a rejected promise counts as no. */
export type Consent = (
  request: ConsentRequest,
) => boolean | ConsentAnswer | Promise<boolean | ConsentAnswer>;
