/** A size in CSS pixels. */
export interface Size {
  width: number;
  height: number;
}

// Reports in a row that answer nothing but the Host's own resizing.
const PATIENCE = 2;

/**
 * Reports the document's size whenever its content changes it (VEW-11), and cannot loop.
 *
 * A Host resizes the frame to what we report. A page whose height depends on the frame's (`100vh`
 * plus a margin, `height: 100%` in a frame with a border) then measures differently again, and an
 * eager reporter chases its own tail. So a measure waits until the frame rests, and asks what has
 * moved since it last did:
 * - the frame kept its height: the content changed; report it.
 * - the document changed by as much as the frame: the page follows the frame; stay silent.
 * - the document changed otherwise (text wraps anew): report, but only so often until the content
 *   changes by itself again.
 *
 * Returns the undo.
 */
export function observeSize(report: (size: Size) => void): () => void {
  const root = document.documentElement;
  let frame = innerHeight;
  let scheduled = 0;
  let patience = PATIENCE;
  let reported: Size | undefined;
  // As it was when the frame last rested.
  let restFrame = frame;
  let restHeight = 0;

  const measure = (): void => {
    scheduled = 0;
    if (frame !== innerHeight) {
      frame = innerHeight;
      schedule();
      return;
    }
    // Content that overflows the root (absolute, or under `height: 100%`) shows only in the scroll
    // height; while nothing overflows, that is the frame's own and would never let the page shrink.
    const height =
      root.scrollHeight > root.clientHeight
        ? root.scrollHeight
        : Math.ceil(root.getBoundingClientRect().height);
    const grown = height - restHeight;
    const moved = frame - restFrame;
    restFrame = frame;
    restHeight = height;
    if (!moved && grown) patience = PATIENCE;
    const answers = moved ? grown !== moved && patience-- > 0 : grown;
    if (innerWidth === reported?.width && (height === reported.height || !answers)) return;
    reported = { width: innerWidth, height };
    report(reported);
  };
  const schedule = (): void => {
    scheduled ||= requestAnimationFrame(measure);
  };

  const sizes = new ResizeObserver(schedule);
  sizes.observe(document.body);
  // Under `height: 100%` growing content changes no box that we observe.
  const nodes = new MutationObserver(schedule);
  nodes.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
  addEventListener("resize", schedule);
  return () => {
    cancelAnimationFrame(scheduled);
    sizes.disconnect();
    nodes.disconnect();
    removeEventListener("resize", schedule);
  };
}
