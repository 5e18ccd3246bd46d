/** A size in CSS pixels. */
export interface Size {
  width: number;
  height: number;
}

/** A running size observer. */
export interface SizeObserver {
  /** Measures again, for example because the largest height has changed. */
  schedule(): void;
  stop(): void;
}

// How many reports in a row may answer nothing but the Host's own resizing.
const PATIENCE = 2;
// Milliseconds without a change after which the frame rests.
const QUIET = 200;

/**
 * Reports the document's size whenever its content changes it (VEW-11), up to the height that the
 * Host allows (VEW-25), and cannot loop.
 *
 * A Host resizes the frame to the height we report. A page whose height depends on the frame's
 * (`100vh` plus a margin, `height: 100%` in a frame with a border) then has another height again, so
 * reporting every change would never end. Each measurement waits until the frame keeps its height
 * between two animation frames, and compares the document with the last measurement:
 * - The frame kept its height: the content changed, so report it.
 * - The document changed by as much as the frame: the page follows the frame, so don't report.
 * - The document changed by another amount (text wraps differently): report, but at most `PATIENCE`
 *   times until the content changes again while the frame is still.
 *
 * The last two rules also drop heights of content that streams in while a Host animates the frame.
 * If the page changed its DOM in that time, the height is therefore reported once the frame rests:
 * one such report, because a page may also change its DOM in answer to a resize.
 */
export function observeSize(
  report: (size: Size) => void,
  maxHeight: () => number | undefined,
): SizeObserver {
  const root = document.documentElement;
  let frame = innerHeight;
  let scheduled = 0;
  let quiet: ReturnType<typeof setTimeout> | undefined;
  let patience = PATIENCE;
  let mayCatchUp = true;
  let isMutated = false;
  let isMissing = false;
  let reported: Size | undefined;
  // The sizes at the last measurement.
  let restFrame = frame;
  let restHeight = 0;

  const measure = (): void => {
    scheduled = 0;
    if (frame !== innerHeight) {
      frame = innerHeight;
      schedule();
      return;
    }
    const content = contentHeight(root);
    const height = Math.min(content, maxHeight() || content);
    const grown = height - restHeight;
    const moved = frame - restFrame;
    restFrame = frame;
    restHeight = height;
    if (!moved && grown) {
      patience = PATIENCE;
      mayCatchUp = true;
    }
    const answers = moved ? grown !== moved && patience-- > 0 : grown;
    if (moved && isMutated) isMissing = true;
    isMutated = false;
    if (answers || innerWidth !== reported?.width) send(height);
  };
  const send = (height: number): void => {
    isMissing = false;
    if (innerWidth === reported?.width && height === reported.height) return;
    reported = { width: innerWidth, height };
    report(reported);
  };
  const catchUp = (): void => {
    if (!isMissing || !mayCatchUp || restHeight === reported?.height) return;
    mayCatchUp = false;
    send(restHeight);
  };
  const schedule = (): void => {
    scheduled ||= requestAnimationFrame(measure);
    clearTimeout(quiet);
    quiet = setTimeout(catchUp, QUIET);
  };

  const sizes = new ResizeObserver(schedule);
  sizes.observe(document.body);
  // Under `height: 100%` growing content changes no box that we observe.
  const nodes = new MutationObserver(() => {
    isMutated = true;
    schedule();
  });
  nodes.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
  addEventListener("resize", schedule);
  return {
    schedule,
    stop() {
      cancelAnimationFrame(scheduled);
      clearTimeout(quiet);
      sizes.disconnect();
      nodes.disconnect();
      removeEventListener("resize", schedule);
    },
  };
}

function contentHeight(root: HTMLElement): number {
  const { scrollHeight, clientHeight } = root;
  // Content that overflows the root (absolute, or under `height: 100%`) shows only in the scroll
  // height. While nothing overflows, the scroll height is the frame's and would never shrink.
  return scrollHeight > clientHeight
    ? scrollHeight
    : Math.ceil(root.getBoundingClientRect().height);
}
