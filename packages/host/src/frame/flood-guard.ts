// A view can post to the host's own window, bypassing relay and port. These messages aren't read, but
// each one is a task of the page. So they are counted, and a view that floods is identified by its
// window.

/** One per page. */
export interface FloodGuard {
  /** Observes the views inside a frame. Returns a function that stops it. */
  watch(frame: HTMLIFrameElement, onFlood: () => void): () => void;
}

/** Messages a second. An SDK that sends before it has a port sends a handful. */
const FLOOD = 200;
const SECOND = 1000;

/** Counts the messages that windows post to this one. */
export function createFloodGuard(): FloodGuard {
  const watched = new Map<HTMLIFrameElement, () => void>();
  let counts = new Map<HTMLIFrameElement | undefined, number>();
  let total = 0;
  let since = 0;

  const count = ({ source, timeStamp }: MessageEvent): void => {
    if (timeStamp - since > SECOND) {
      since = timeStamp;
      total = 0;
      counts = new Map();
    }
    // Finding the sender is slow, so it is done only when there are too many messages.
    if (++total <= FLOOD) return;
    const frame = ownerOf(source, watched.keys());
    const sent = (counts.get(frame) ?? 0) + 1;
    counts.set(frame, sent);
    if (frame && sent === FLOOD) watched.get(frame)?.();
  };

  return {
    watch: (frame, onFlood) => {
      if (watched.size === 0) addEventListener("message", count);
      watched.set(frame, onFlood);
      return () => {
        watched.delete(frame);
        if (watched.size === 0) removeEventListener("message", count);
      };
    },
  };
}

/** The frame that contains a window at any depth: `parent` can be read across origins. */
function ownerOf(
  source: MessageEventSource | null,
  frames: Iterable<HTMLIFrameElement>,
): HTMLIFrameElement | undefined {
  const windows = new Map([...frames].map((frame) => [frame.contentWindow, frame]));
  let at = source as Window | null;
  while (at && at !== window && at !== at.parent && !windows.has(at)) at = at.parent;
  return windows.get(at);
}
