// Every text of the host that a user can see. A catalogue has all of them in one language; English is
// built in, and a page loads another one only if it imports it.

import type { ConsentScope, ConsentSubject } from "../consent/consent.ts";

/** All texts in one language. */
export interface Messages {
  /** The language as a BCP 47 tag, for screen readers and numbers. */
  language: string;
  direction: "ltr" | "rtl";
  bar: BarMessages;
  card: CardMessages;
  consent: ConsentMessages;
  permissions: PermissionMessages;
}

/** A catalogue, or single texts that replace those of the English one. */
export type MessageOverrides = {
  [Part in keyof Messages]?: Messages[Part] extends string
    ? Messages[Part]
    : Partial<Messages[Part]>;
};

/** Texts around a view that is shown elsewhere than in its place. */
export interface PlacementMessages {
  /** A button in the place of a view that is shown elsewhere. */
  showHere: string;
  /** A button that moves and resizes a floating view by keyboard. */
  move: string;
}

/** Texts around a view that is shown or is loading. */
export interface BarMessages extends PlacementMessages {
  loading: string;
  fullscreen: string;
  pip: string;
  inline: string;
  unresponsive: string;
  /** Shown if the text about a failure can't be loaded either. */
  failed: string;
}

/** Why a view isn't shown, as far as it matters to a user. */
export type FailureKind =
  | "noApp" // the tool has text only
  | "notLoaded" // something is down or slow, and may work again later
  | "noAnswer" // its server is down, slow or failing
  | "notStarted" // its page is there, but doesn't start
  | "startError" // an error kept it from starting
  | "incomplete" // it may not load a part that it needs
  | "pageBlocks" // the product's page doesn't allow apps
  | "pageIsolated" // the product's page is isolated from apps
  | "siteUnknown" // apps aren't set up for the product's site
  | "broken" // the app can't work, whatever the user does
  | "notAllowed" // the product doesn't accept it
  | "browser" // this browser can't protect the user from it
  | "misbehaved" // it was stopped to protect the user
  | "focus" // it was stopped because it took the keyboard
  | "stopped" // the user stopped it
  | "closed"; // it crashed

/** Texts in the place of a view that isn't shown. */
export interface CardMessages {
  failure: Record<FailureKind, string>;
  /** The model no longer has the view's context. */
  contextRemoved: string;
  /** A button that loads a view again. */
  retry: string;
  /** A button that starts a view that was stopped. */
  restart: string;
  /** For developers: shows more, copies it. */
  details: string;
  copy: string;
  copied: string;
}

/** Texts of the dialog that asks the user. */
export interface ConsentMessages {
  /** The question, by kind of request. */
  question: Record<ConsentSubject["kind"], string>;
  allow: string;
  deny: string;
  /** Rejects the request and ends the view. */
  stop: string;
  /** A button that scrolls to the part of the request that wasn't visible yet. */
  more: string;
  /** Replaces a withdrawn question: title, explanation, button. */
  withdrawn: string;
  withdrawnHint: string;
  dismiss: string;
  /** Precede the choice of how long an answer holds, by kind of request. */
  remember: Record<"tool" | "link" | "message", string>;
  /** How long an answer holds. */
  scopes: Record<"once" | ConsentScope, string>;
  /** A box in a question in the page, which holds for both answers. */
  silence: string;
  /** Names of the values that are shown. */
  server: string;
  /** Precedes the view's own name, which is unverified. */
  callsItself: string;
  tool: string;
  arguments: string;
  noArguments: string;
  site: string;
  address: string;
  message: string;
  files: string;
  size: string;
  display: string;
  modes: Record<"inline" | "fullscreen" | "pip", string>;
  request: string;
  domains: string;
  /** A content block that isn't text. */
  attachment: string;
  /** Warnings. */
  destructive: string;
  unencrypted: string;
  coded: string;
  inactive: string;
  sends: string;
  /** An attachment: an image, audio or another file. */
  unseen: string;
  /** In the place of a run of `{count}` blanks. */
  blanks: string;
  /** In the place of `{count}` marks above or below one character. */
  marks: string;
}

/** Texts of the list of remembered answers. */
export interface PermissionMessages {
  /** Names of permissions, by kind of request. */
  kinds: Record<ConsentSubject["kind"], string>;
  /** How long, for an answer that allows or rejects. */
  allowed: Record<ConsentScope, string>;
  denied: Record<ConsentScope, string>;
  /** Instead of a list. */
  empty: string;
  /** A button that forgets an answer, and the text that is announced afterwards. */
  revoke: string;
  revoked: string;
  failed: string;
}
