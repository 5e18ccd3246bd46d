/** What an attack may use: the attacker's addresses of this cell and two ways to add to the page. */
export interface Target {
  /** The attacker over the scheme of the page itself, so that mixed content is not what stops it. */
  readonly base: string;
  readonly tls: string;
  readonly socket: string;
  readonly host: string;
  /** An address whose registrable domain belongs to this cell alone. */
  readonly site: string;
  readonly udp: number;
  readonly tcp: number;
  element<Tag extends keyof HTMLElementTagNameMap>(
    tag: Tag,
    attributes: Record<string, string>,
  ): HTMLElementTagNameMap[Tag];
  markup(html: string): void;
  blob(text: string, type?: string): string;
}

export type Family =
  | "request"
  | "media"
  | "style"
  | "code"
  | "frame"
  | "form"
  | "navigation"
  | "window"
  | "hint"
  | "peer"
  | "worker"
  | "feature";

/**
 * One way out. `attack` is sent to the browser as source text, so it may use nothing but its
 * parameter and the globals of a page; it is a function here so that it is typed and linted.
 */
export interface Channel {
  readonly id: string;
  readonly family: Family;
  /** Number in the attack catalogue. */
  readonly entry: number;
  /** Fires only inside a real click; the others are tried on load and again inside the click. */
  readonly needsClick?: true;
  /** A look-up of a name is all that it does, so no more can be expected of its control. */
  readonly onlyLooksUp?: true;
  readonly attack: (target: Target) => unknown;
}
