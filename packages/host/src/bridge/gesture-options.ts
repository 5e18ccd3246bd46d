/** A request that can need a gesture; of display modes only the larger ones do. */
export type GestureSubject = "link" | "message" | "download" | "display-mode";

/** Which requests need a gesture, and for how long one counts. */
export interface GestureOptions {
  /** The requests that need one; all by default. */
  for?: readonly GestureSubject[] | undefined;
  /** Rejects these requests if the channel can't tell whether there was a gesture. */
  required?: boolean | undefined;
  /**
   * Milliseconds after the result of a tool call that a gesture started, in which the view may send one
   * message without another gesture; 2,000, and at most 10,000. 0 turns it off.
   */
  afterCall?: number | undefined;
}
