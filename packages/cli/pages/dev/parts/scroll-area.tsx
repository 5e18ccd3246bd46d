import type { ReactNode } from "react";

/** A scrollable part of the page that is reachable by keyboard. */
export function ScrollArea({
  className,
  label,
  theme,
  children,
}: {
  className: string;
  label: string;
  /** The page's own, unless given. */
  theme?: "light" | "dark";
  children: ReactNode;
}): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: required for scrolling by keyboard.
    <section className={className} aria-label={label} tabIndex={0} data-theme={theme}>
      {children}
    </section>
  );
}
