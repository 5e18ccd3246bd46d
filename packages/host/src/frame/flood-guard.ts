// A View can post to the Host's own window, past relay and port. Nobody reads that, but each message is
// a task of the page. So they are counted, unread, and a View that floods is found by its window.

/** One for a page. */
export interface FloodGuard {
  /** Watches the Views inside a frame; the undo. */
  watch(frame: HTMLIFrameElement, onFlood: () => void): () => void;
}

/** Messages a second. An SDK that speaks before it has a port sends a handful. */
const FLOOD = 200;
const SECOND = 1000;

/** Counts what windows post to this one. */
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
    // Whose it is costs a walk, so it is asked when there are too many of them.
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

/** The frame that a window is in, however deep: `parent` may be read across origins. */
function ownerOf(
  source: MessageEventSource | null,
  frames: Iterable<HTMLIFrameElement>,
): HTMLIFrameElement | undefined {
  const windows = new Map([...frames].map((frame) => [frame.contentWindow, frame]));
  let at = source as Window | null;
  while (at && at !== window && at !== at.parent && !windows.has(at)) at = at.parent;
  return windows.get(at);
}
