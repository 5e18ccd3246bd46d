/** A View that can be put to sleep and woken. */
export interface LiveView {
  /** Ends its document; its place stays. */
  suspend(): unknown;
  /** It is on screen again. */
  resume(): unknown;
}

/** Calls back with whether an element is on screen, at each change; returns the undo. */
export type Watch = (element: Element, listener: (isVisible: boolean) => void) => () => void;

/** How many Views a page keeps alive. */
export interface LiveViewsOptions {
  limit?: number;
  watch?: Watch;
}

/** The Views of a page, of which only so many live at once. */
export interface LiveViews {
  /**
   * Counts a View whose document lives now, again after each `resume`. The element tells whether it is
   * on screen. Returns the undo, for a View that is gone for good.
   */
  add(view: LiveView, element: Element): () => void;
}

interface Place {
  /** Nobody knows at first. */
  isVisible: boolean | undefined;
  isLive: boolean;
  /** When it was last known to be on screen, in turns. */
  seen: number;
  leave(): void;
}

/** Each View costs a process or two and megabytes: those off screen longest go first. */
export function createLiveViews({
  limit = 8,
  watch = watchVisible,
}: LiveViewsOptions = {}): LiveViews {
  const places = new Map<LiveView, Place>();
  let turn = 0;

  const makeRoom = (newcomer: Place): void => {
    const live = [...places].filter(([, { isLive }]) => isLive);
    const order = live
      .filter(([, place]) => place !== newcomer)
      .sort(([, a], [, b]) => rank(a) - rank(b) || a.seen - b.seen);
    for (const [view, place] of order.slice(0, Math.max(live.length - limit, 0))) {
      place.isLive = false;
      view.suspend();
    }
  };

  const enter = (view: LiveView, element: Element): Place => {
    const place: Place = { isVisible: undefined, isLive: true, seen: 0, leave: () => {} };
    const unwatch = watch(element, (isVisible) => {
      // What was never on screen was not seen just now.
      if (isVisible || place.isVisible) place.seen = ++turn;
      place.isVisible = isVisible;
      if (isVisible && !place.isLive) view.resume();
    });
    place.leave = () => {
      unwatch();
      if (places.get(view) === place) places.delete(view);
    };
    places.set(view, place);
    return place;
  };

  return {
    add: (view, element) => {
      const place = places.get(view) ?? enter(view, element);
      place.isLive = true;
      place.seen = ++turn;
      makeRoom(place);
      return place.leave;
    },
  };
}

/** Somebody wants it, so it counts as on screen until the browser knows better. */
const rank = ({ isVisible }: Place): number => (isVisible === false ? 0 : 1);

/** Whether any part of an element is on screen, in the top layer as well. */
export const watchVisible: Watch = (element, listener) => {
  const observer = new IntersectionObserver((entries) =>
    listener(entries.some(({ isIntersecting }) => isIntersecting)),
  );
  observer.observe(element);
  return () => observer.disconnect();
};
