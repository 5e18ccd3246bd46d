/**
 * Something a view did that its server doesn't receive. An upstream that keeps a log takes it, so that the log
 * shows more than calls.
 */
export interface ViewReceipt {
  /** The kind of a question, or the method of the view's request. */
  readonly kind: "message" | "link" | "download" | "model-context" | "consent";
  readonly outcome: "done" | "failed" | "allowed" | "declined";
  /** For a consent: what the user was asked about. */
  readonly about?: string;
  /** The tool that the user was asked about. */
  readonly tool?: string;
  /** The message, the context or the address of the link, as it was sent or opened. */
  readonly content?: unknown;
  /** The host of a link. */
  readonly host?: string;
  /** The names of downloaded files. */
  readonly names?: readonly string[];
  /** Bytes of downloaded files. */
  readonly size?: number;
  /** The view's request; the same object as in the options of the upstream's request for it. */
  readonly request: object;
}
