import type { ReactNode } from "react";

/** A part of the page that scrolls by itself, and so can be reached by keys. */
export function ScrollArea({
  className,
  label,
  children,
}: {
  className: string;
  label: string;
  children: ReactNode;
}): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it nobody scrolls it by keys.
    <section className={className} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
