import type { RegistrationFacts, RelayEvent } from "../frame/port-link.ts";
import type { FrameIdentity, RegisteredViewLike } from "../frame/sandbox-address.ts";

/** Messages of the app to the page in its WebView. */
export interface FromApp {
  open: {
    /** The sandbox's entrance. */
    sandbox: string;
    credential?: string | undefined;
    /** In place of the entrance, if the app's server has registered the view. */
    registered?: RegisteredViewLike | undefined;
    resource: { html: string; meta: unknown };
    identity: FrameIdentity;
    title?: string | undefined;
  };
  /** For the view. */
  message: unknown;
  close: true;
}

/** Messages of the page to the app. */
export type FromPage =
  | { ready: true }
  | { connected: true }
  | { closed: true }
  | { failed: { code: string; detail: string } }
  | { registered: RegistrationFacts }
  | { event: RelayEvent }
  | { message: unknown; isActive: boolean };
