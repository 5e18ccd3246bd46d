import type { Channel } from "@vitrine/protocol";

/** A channel to a view that may carry more than messages. */
export interface ViewChannel extends Channel {
  /**
   * Whether the user had just acted inside the view when the current message was sent. It comes from
   * the sandbox, so a view can't forge it. Absent if it can't be known.
   */
  readonly userActive?: boolean | undefined;
}
