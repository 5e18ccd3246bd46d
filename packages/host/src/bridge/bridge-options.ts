import type { LinkOptions, McpUiHostCapabilities, McpUiHostContext } from "@vitrine/protocol/apps";
import type { AskingView, Consent } from "../consent/consent.ts";
import type { Diagnostic } from "../diagnostic.ts";

/** Something about this View that its Host should know; who owns the bridge adds when and whose. */
export type BridgeDiagnostic = Pick<Diagnostic, "code" | "detail" | "cause"> & {
  readonly level: "warning" | "info";
};

/** Mistakes and limits that the bridge names. */
export type BridgeErrorCode =
  | "connected" // connect() twice
  | "no-app-tools" // the View declared no tools, or is not there (HST-90, HST-100)
  | "bad-answer"; // the View's answer is not what its method returns (HST-96)

/** How an `AppBridge` behaves; all but `hostContext` go beyond the official one. */
export interface AppBridgeOptions {
  hostContext?: McpUiHostContext | undefined;
  /** Who this View is to the Host. */
  view?: AskingView | undefined;
  /**
   * Decides in the user's name: what `createConsent` made, or a function that is asked where its
   * default rule wants somebody to be asked. Without it, all of that is refused.
   */
  consent?: Consent | undefined;
  /** Which links may be opened. */
  links?: LinkOptions | undefined;
  /**
   * Whether links, messages, downloads and larger display modes need a click in the View just before.
   * By default where the channel can tell; `true` refuses where it cannot, `false` never asks for one.
   */
  gestures?: boolean | undefined;
  /** Tool calls that a View may make in a minute; 60. */
  callsPerMinute?: number | undefined;
  /** Milliseconds for which a request that came before `initialized` is held; 5,000. */
  grace?: number | undefined;
  /** What an earlier life of this View left, by `onstate`. */
  state?: unknown;
  /** What the Sandbox granted. */
  sandbox?: McpUiHostCapabilities["sandbox"] | undefined;
  onDiagnostic?: ((diagnostic: BridgeDiagnostic) => void) | undefined;
  /** Sees every message, for a log or a developer's tool; what a View sends is hostile (HST-34). */
  onTraffic?: ((from: "view" | "host", message: unknown) => void) | undefined;
  /** The View sends so much that is malformed that it should be removed. */
  onAbuse?: (() => void) | undefined;
}
