import type { Channel } from "@vitrine/protocol";

/** A channel to a View that may know more than its messages. */
export interface ViewChannel extends Channel {
  /**
   * Whether the user had just acted inside the View when the message now being delivered was sent; by
   * the word of the Sandbox, which a View cannot forge. Absent where nobody can tell.
   */
  readonly userActive?: boolean | undefined;
}
