import type { LinkOptions, McpUiHostCapabilities, McpUiHostContext } from "@vitrine/protocol/apps";
import type { AskingView, Consent, ConsentSubject, ViewOwner } from "../consent/consent.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { GestureOptions } from "./gesture-options.ts";

/** A report about this view; the owner of the bridge adds the time and the view's key. */
export type BridgeDiagnostic = Pick<Diagnostic, "code" | "detail" | "cause"> & {
  readonly level: "warning" | "info";
};

/** Errors and limits that the bridge reports. */
export type BridgeErrorCode =
  | "connected" // connect() twice
  | "no-app-tools" // the view declared no tools, or is gone (HST-90, HST-100)
  | "bad-answer"; // the view's response is invalid for its method (HST-96)

/** Options of an `AppBridge`; all except `hostContext` go beyond the official one. */
export interface AppBridgeOptions {
  hostContext?: McpUiHostContext | undefined;
  /** The host's identification of this view. */
  view?: AskingView | undefined;
  /** The user of this view; remembered answers of one user don't hold for another. */
  owner?: ViewOwner | undefined;
  /**
   * Decides on the user's behalf: the result of `createConsent`, or a function that is called where
   * the default rule requires a question. Without it, all of those are rejected.
   */
  consent?: Consent | undefined;
  /** Which links may be opened. */
  links?: LinkOptions | undefined;
  /**
   * Whether links, messages, downloads and larger display modes need a click in the view just before.
   * By default only if the channel can tell; `true` rejects if it can't, `false` never requires one.
   * Options choose which of them do, and for how long a click counts that started a tool call.
   */
  gestures?: boolean | GestureOptions | undefined;
  /** Tool calls per view and minute; 60. */
  callsPerMinute?: number | undefined;
  /** Milliseconds for which a request that came before `initialized` is held; 5,000. */
  grace?: number | undefined;
  /** The state that an earlier document of this view saved with `onstate`. */
  state?: unknown;
  /** The permissions that the sandbox granted. */
  sandbox?: McpUiHostCapabilities["sandbox"] | undefined;
  onDiagnostic?: ((diagnostic: BridgeDiagnostic) => void) | undefined;
  /**
   * Receives every message, for a log or a developer tool; a view's messages are untrusted (HST-34).
   */
  onTraffic?: ((from: "view" | "host", message: unknown) => void) | undefined;
  /** Called with each decision of `consent`, and the milliseconds it took. */
  onConsent?:
    | ((decision: { kind: ConsentSubject["kind"]; allow: boolean; duration: number }) => void)
    | undefined;
  /** The view sends so many malformed messages that it should be removed. */
  onAbuse?: (() => void) | undefined;
  /** The user wants to end this view. Without it, questions don't offer "Stop this app". */
  onStop?: (() => void) | undefined;
}
