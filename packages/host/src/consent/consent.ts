import type { AllowedLink, ContentBlock, Implementation, Tool } from "@vitrine/protocol/apps";

/** The View that asks. */
export interface AskingView {
  /** The Host's name for this instance. */
  readonly key: string;
  /** The Host's name for its Server. */
  readonly server: string;
  readonly resourceUri?: string;
  /** What it calls itself: show it as a claim, and as text. */
  readonly appInfo?: Implementation;
}

/** What is asked for; the arguments are the View's, to be shown as text. */
export type ConsentSubject =
  | { kind: "tool"; tool: Tool; arguments: Record<string, unknown> }
  | { kind: "app-tool"; tool: Tool; arguments: Record<string, unknown> }
  | { kind: "link"; link: AllowedLink }
  | { kind: "message"; content: readonly ContentBlock[] }
  | { kind: "download"; names: readonly string[]; size: number }
  | { kind: "display-mode"; mode: string }
  | { kind: "sampling"; params: unknown }
  | { kind: "domains"; domains: readonly string[] };

/** One question to the user, or to whoever decides for them. */
export type ConsentRequest = ConsentSubject & {
  readonly view: AskingView;
  /** A click or key in the View just now, by the Sandbox's word; unknown over foreign transports. */
  readonly userActive: boolean | undefined;
  /** Aborted when the View cancels or goes away: take the question back. */
  readonly signal: AbortSignal;
};

/** An answer; `remember` holds for this Server and tool (or kind) from now on. */
export interface ConsentAnswer {
  allow: boolean;
  remember?: boolean;
}

/** Decides; a rejected promise is a no. */
export type Consent = (
  request: ConsentRequest,
) => boolean | ConsentAnswer | Promise<boolean | ConsentAnswer>;
