// A Host resizes the frame to what the View reports, and a View whose height depends on the frame's
// (`100vh` and a margin) then reports another one. It is told apart from content that grows by what a
// report exceeds the frame by: a View that chases its frame asks for the same excess however large the
// frame is. So every other size is a little larger than asked for, which makes unequal excesses of
// equal steps of content, and of two equal excesses in a row a chase.

import { clampSize, type McpUiHostContext } from "@vitrine/protocol/apps";

/** What a Host says of a View's container: along each axis a fixed size, or a cap. */
export type ContainerDimensions = NonNullable<McpUiHostContext["containerDimensions"]>;

/** Pixels along the axes that the View decides. */
export interface AppliedSize {
  width?: number;
  height?: number;
}

/** Decides on the sizes that a View reports. */
export interface FrameSize {
  /** Takes `size-changed` as it came; applied with the next animation frame, the newest wins. */
  report(size: unknown): void;
  /** Axes of a fixed size are the Host's: what a View reports of them is ignored (HST-57). */
  setDimensions(dimensions: ContainerDimensions): void;
  close(): void;
}

/** Pixels that a View may grow to where its Host names no others. */
export const MAX_HEIGHT = 800;

// A report that comes this soon after we resized may be the answer to it.
const ECHO_TIME = 1200;
// So much may a scroll bar or a margin make; more is likely to be content.
const SLACK = 64;
const MOST_SHRINKS = 2;
// More than the rounding of lines, less than anybody sees.
const EXTRA = 3;

/** Sizes a frame by what its View reports (HST-56). */
export function createFrameSize(
  apply: (size: AppliedSize) => void,
  dimensions: ContainerDimensions = {},
): FrameSize {
  const axes = {
    width: createAxis((width) => apply({ width })),
    height: createAxis((height) => apply({ height })),
  };
  let newest: AppliedSize = {};
  let scheduled = 0;
  let container: Record<string, number | undefined> = dimensions;

  const measure = (): void => {
    scheduled = 0;
    const { maxWidth, maxHeight = MAX_HEIGHT } = container;
    for (const name of ["width", "height"] as const) {
      const pixels = newest[name];
      const max = name === "width" ? maxWidth : maxHeight;
      if (pixels !== undefined && container[name] === undefined) axes[name].take(pixels, max);
    }
    newest = {};
  };

  return {
    report: (size) => {
      const { maxWidth, maxHeight = MAX_HEIGHT } = container;
      const box = { ...(maxWidth !== undefined && { maxWidth }), maxHeight };
      Object.assign(newest, clampSize(Object(size), box));
      scheduled ||= requestAnimationFrame(measure);
    },
    setDimensions: (next) => {
      // Text wraps anew: what comes now answers the page and not us.
      if (container.width !== (next as Record<string, number>).width) axes.height.forgive();
      container = next;
      newest = {};
    },
    close: () => {
      cancelAnimationFrame(scheduled);
      for (const axis of Object.values(axes)) axis.close();
    },
  };
}

interface Axis {
  take(pixels: number, max?: number): void;
  /** Takes the next reports as those of a View that was left alone. */
  forgive(): void;
  close(): void;
}

function createAxis(apply: (pixels: number) => void): Axis {
  let size = Number.NaN;
  let before = Number.NaN;
  let excess = Number.NaN;
  let at = Number.NEGATIVE_INFINITY;
  let extra = EXTRA;
  let shrinks = 0;
  let refused: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const set = (asked: number, max: number): void => {
    clearTimeout(timer);
    refused = undefined;
    before = size;
    excess = asked - size;
    extra = EXTRA - extra;
    size = Math.min(asked + extra, max);
    at = performance.now();
    apply(size);
  };

  /** Whether a smaller size is the content's, when it may as well be an answer to ours. */
  const isMeant = (asked: number, max: number): boolean => {
    // The frame stood still and the View did not.
    const hasMoved = refused !== undefined && refused !== asked;
    refused = asked;
    if (hasMoved) return true;
    // There and back, by a scroll bar or a margin: the larger of both shows all of it.
    const isBack = before < size && Math.abs(asked - before) < SLACK;
    if (isBack && size - asked < SLACK) return false;
    // It may follow the frame by a share of its height (`90vh`), down to nothing.
    if (++shrinks > MOST_SHRINKS) return false;
    if (isBack) timer = setTimeout(set, ECHO_TIME, asked, max);
    return !isBack;
  };

  return {
    take: (pixels, max = Number.POSITIVE_INFINITY) => {
      clearTimeout(timer);
      const asked = Math.ceil(pixels);
      const more = asked - size;
      // An echo, or one of content that is a little shorter than what we gave; and a chase.
      if ((more <= 0 && more >= -EXTRA) || Math.abs(more - excess) < 2) return;
      const isAnswer = performance.now() - at < ECHO_TIME;
      if (!isAnswer) shrinks = 0;
      if (more > 0 || !isAnswer || isMeant(asked, max)) set(asked, max);
    },
    forgive: () => {
      at = Number.NEGATIVE_INFINITY;
      excess = Number.NaN;
    },
    close: () => clearTimeout(timer),
  };
}
