// Which requests need a click or key press in the view, and for how long one counts. The sandbox
// reports gestures, so a view can't invent one; here one gesture is prevented from counting often.

import type { GestureOptions, GestureSubject } from "../bridge/gesture-options.ts";
import type { ViewRequest } from "./guarded.ts";
import { refusal } from "./refusal.ts";

/** The gestures in one view. */
export interface Gestures {
  /** Throws unless the request comes with a gesture, or needs none. */
  need(what: GestureSubject, request: ViewRequest): void;
  /**
   * The same where one gesture allows one request. Returns what is known about the gesture: nothing, if
   * it was extended by a tool call.
   */
  spend(what: GestureSubject, request: ViewRequest): boolean | undefined;
  /** Follows a tool call. Call the returned function with its result. */
  follow(request: ViewRequest): () => void;
}

/** A gesture that has started a tool call. */
interface Gesture {
  readonly at: number;
  /** When the time after the newest result ends. */
  until: number;
  isSpent: boolean;
}

// Browsers count a click for about this long; a second message in that time needs another click.
const GESTURE = 5000;
const AFTER_CALL = 2000;
const LONGEST_AFTER_CALL = 10_000;
/** A user who has waited longer doesn't connect the message with the click. */
const LONGEST_CALL = 60_000;
const ALL: readonly GestureSubject[] = ["link", "message", "download", "display-mode"];
const NAMES: Partial<Record<GestureSubject, string>> = { "display-mode": "display mode change" };

/** Tracks the gestures in one view; `true` is short for required ones, `false` for none. */
export function createGestures(options: boolean | GestureOptions = {}): Gestures {
  const given: GestureOptions =
    typeof options === "object" ? options : { required: options, for: options ? ALL : [] };
  const { required = false, for: needing = ALL, afterCall = AFTER_CALL } = given;
  const grace = Math.min(afterCall, LONGEST_AFTER_CALL);
  const spent = new Map<GestureSubject, number>();
  let gestures: Gesture[] = [];

  const isRecent = (at: number | undefined): boolean =>
    performance.now() - (at ?? Number.NEGATIVE_INFINITY) < GESTURE;
  const need = (what: GestureSubject, { userActive }: ViewRequest): void => {
    const isUnknown = userActive === undefined && !required;
    if (!needing.includes(what) || userActive || isUnknown) return;
    throw refusal(
      "This needs a click or key press in the view just before. Call it from the event handler.",
    );
  };
  /** Uses a gesture that a tool call has extended, if there is one. */
  const takeExtended = (): boolean => {
    const now = performance.now();
    const found = gestures.find(({ until, isSpent }) => now < until && !isSpent);
    if (found) found.isSpent = true;
    return found !== undefined;
  };

  return {
    need,
    spend: (what, request) => {
      const { userActive } = request;
      const isNeeded = needing.includes(what);
      const isLate = what === "message" && userActive === false;
      if (isNeeded && isLate && takeExtended()) return undefined;
      need(what, request);
      if (userActive && isNeeded && isRecent(spent.get(what))) {
        const name = NAMES[what] ?? what;
        throw refusal(`One ${name} per click; this click was used by the previous ${name}.`);
      }
      spent.set(what, performance.now());
      // The calls of the same click don't allow another message.
      if (what === "message") {
        for (const gesture of gestures) gesture.isSpent ||= isRecent(gesture.at);
      }
      return userActive;
    },
    follow: ({ userActive }) => {
      // Only of a gesture itself: a call in the time after another call doesn't extend it further.
      if (!userActive) return () => {};
      const at = performance.now();
      gestures = gestures.filter((one) => at - one.at < LONGEST_CALL + LONGEST_AFTER_CALL);
      const newest = gestures.at(-1);
      // All calls in the time of one click are that click's, and allow one message together.
      const gesture =
        newest && isRecent(newest.at)
          ? newest
          : { at, until: Number.NEGATIVE_INFINITY, isSpent: isRecent(spent.get("message")) };
      if (gesture !== newest) gestures.push(gesture);
      return () => {
        const now = performance.now();
        if (now - gesture.at <= LONGEST_CALL) gesture.until = Math.max(gesture.until, now + grace);
      };
    },
  };
}
