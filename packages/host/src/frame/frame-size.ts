// A host resizes the frame to the size that the view reports, and a view whose height depends on the
// frame's (`100vh` and a margin) then reports another one. It differs from growing content in how
// much a report exceeds the frame: a view that follows its frame always asks for the same excess. So
// every other size is a little larger than requested. Then equal steps of content give unequal
// excesses, and two equal excesses in a row mean that the view follows its frame.

import { clampSize, type McpUiHostContext } from "@vitrine/protocol/apps";

/** The container's dimensions: along each axis a fixed size or a maximum. */
export type ContainerDimensions = NonNullable<McpUiHostContext["containerDimensions"]>;

/** Pixels along the axes that the view decides. */
export interface AppliedSize {
  width?: number;
  height?: number;
}

/** Decides on the sizes that a view reports. */
export interface FrameSize {
  /** Takes `size-changed` as it came. The newest is applied with the next animation frame. */
  report(size: unknown): void;
  /** The host decides on axes with a fixed size, so reports of them are ignored (HST-57). */
  setDimensions(dimensions: ContainerDimensions): void;
  close(): void;
}

/** The default maximum height in pixels. */
export const MAX_HEIGHT = 800;

// A report that comes this soon after a resize may be a reaction to it.
const ECHO_TIME = 1200;
// A scroll bar or a margin may cause this much; more is likely to be content.
const SLACK = 64;
const MOST_SHRINKS = 2;
// More than the rounding of lines, less than a user notices.
const EXTRA = 3;

/** Sizes a frame by its view's reports (HST-56). */
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
      // Text wraps again: the next reports react to the page, not to us.
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
  /** Treats the next reports as independent of our resizes. */
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

  /** Whether a smaller size comes from the content, although it may be a reaction to ours. */
  const isMeant = (asked: number, max: number): boolean => {
    // The view changed while the frame didn't.
    const hasMoved = refused !== undefined && refused !== asked;
    refused = asked;
    if (hasMoved) return true;
    // Back and forth, because of a scroll bar or a margin: the larger size shows everything.
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
      // An echo, or content that is a little shorter than the frame; or a view that follows its
      // frame.
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
