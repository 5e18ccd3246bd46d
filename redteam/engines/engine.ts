import type { Evaluate } from "../lab/crash-proof-page.ts";

/** A user's mouse and keyboard. What they hit is decided by the browser, as it is for a user. */
export interface Hand {
  /** By coordinates of the top document. */
  move(x: number, y: number): Promise<void>;
  /** A click where the mouse is, with a key held down if one is named. */
  press(modifier?: "Alt"): Promise<void>;
  /** One character, to whatever has the focus. */
  key(character: string): Promise<void>;
}

/** A page of some browser, no more than all three drivers can do. */
export interface EnginePage {
  readonly evaluate: Evaluate;
  readonly mouse: {
    /** A real, trusted click, by coordinates of the top document. */
    click(x: number, y: number): Promise<void>;
  };
  /** Absent where the driver addresses documents, and would not notice who has the focus. */
  readonly hand?: Hand | undefined;
  /** What a user reads in the frame that the host page made for a view. */
  textIn(view: string): Promise<string>;
  /** Console lines and uncaught errors, where the driver has them. */
  readonly console: readonly string[];
  /** Closes the page and whatever windows it opened. */
  close(): Promise<void>;
}

export const ENGINE_NAMES = ["chromium", "firefox", "webkit"] as const;

export type EngineName = (typeof ENGINE_NAMES)[number];

/** A running browser with a fresh profile. One page at a time: WebDriver has a single focus. */
export interface Engine {
  readonly name: EngineName;
  readonly version: string;
  /** Addresses of documents whose process ended, where the driver tells. */
  readonly crashes: readonly string[];
  /** Opens an address; does not wait for frames, which may be hostile and never load. */
  open(url: string): Promise<EnginePage>;
  close(): Promise<void>;
}

/** The element that the host page keeps for a view; closed shadow roots hide it from selectors. */
export function frameOf(view: string): HTMLIFrameElement | undefined {
  return window.redteam?.frames[view];
}

/** The text that a document shows. */
export function shownText(): string {
  // biome-ignore lint/performance/useDomNodeTextContent: a user can't read hidden text
  return document.body.innerText;
}
