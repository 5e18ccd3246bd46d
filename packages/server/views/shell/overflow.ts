import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** Whether what is shown is wider than its place, and whether there is more of it ahead. */
export function useOverflow() {
  const frame = useRef<HTMLDivElement>(null);
  const [scrolls, setScrolls] = useState(false);
  const [hasMore, setMore] = useState(false);
  const look = useCallback(() => {
    const { scrollWidth = 0, clientWidth = 0, scrollLeft = 0 } = frame.current ?? {};
    setScrolls(scrollWidth > clientWidth);
    // Where text runs to the left, so does the count.
    setMore(Math.abs(scrollLeft) + clientWidth < scrollWidth - 2);
  }, []);
  useEffect(() => {
    const { current } = frame;
    if (!current) return undefined;
    const sizes = new ResizeObserver(look);
    sizes.observe(current);
    if (current.firstElementChild) sizes.observe(current.firstElementChild);
    return () => sizes.disconnect();
  }, [look]);
  return { frame, scrolls, hasMore, look };
}
