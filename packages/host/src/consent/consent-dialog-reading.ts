// Tracks how much of a scrolling element was visible, so that nothing can be allowed that is below
// the fold. A part that is skipped doesn't count as seen.

/** How much of an element the user has seen. */
export interface Reading {
  /** True once everything was visible. */
  readonly isComplete: boolean;
  /** True if everything fits without scrolling. */
  readonly fits: boolean;
  /** Records the visible part; call it in an animation frame while the element is visible. */
  look(): void;
  /** Scrolls to the first part that wasn't visible yet. */
  next(): void;
}

// Pixels. Less than two lines of text can't be read.
const LEAST = 32;
const OVERLAP = 24;
// Scroll positions are fractions on some screens, sizes aren't.
const ROUNDING = 1;

/** Starts with nothing seen. */
export function createReading(element: HTMLElement): Reading {
  let seen = 0;
  let width = 0;
  let length = 0;
  return {
    get isComplete() {
      return length > 0 && seen >= length - ROUNDING;
    },
    get fits() {
      return element.scrollHeight <= element.clientHeight + ROUNDING;
    },
    look() {
      const { scrollTop, clientHeight, clientWidth, scrollHeight } = element;
      // The text has moved: the parts seen before could be anywhere.
      if (clientWidth !== width || scrollHeight < length - ROUNDING) seen = 0;
      width = clientWidth;
      length = scrollHeight;
      if (clientHeight >= LEAST && scrollTop <= seen + ROUNDING) {
        seen = Math.max(seen, scrollTop + clientHeight);
      }
    },
    next() {
      element.scrollTo({ top: Math.max(0, seen - OVERLAP) });
    },
  };
}
