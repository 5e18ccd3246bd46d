import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";

// Closer to the end than this counts as "at the end".
const NEAR = 80;

/** The list of messages. It follows new text while the user is at its end, and never otherwise. */
export function Scroller({
  watch,
  children,
}: {
  /** A change of this value may have added text. */
  watch: readonly { id: string; role: string }[];
  children: ReactNode;
}): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const last = watch.at(-1);
  // The user's own message is always shown.
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each new message.
  useLayoutEffect(() => {
    if (last?.role === "user") follows.current = true;
    if (follows.current) scrollToEnd(box.current);
  }, [last?.id]);
  useEffect(() => {
    const element = content.current;
    if (!element) return undefined;
    // Text, views and pictures grow at any time.
    const observer = new ResizeObserver(() => {
      if (follows.current) scrollToEnd(box.current);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div
      className="scroller"
      ref={box}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < NEAR;
      }}
    >
      <div className="messages" ref={content} role="log" aria-label="Messages">
        {children}
      </div>
    </div>
  );
}

function scrollToEnd(element: HTMLElement | null): void {
  if (element) element.scrollTop = element.scrollHeight;
}
