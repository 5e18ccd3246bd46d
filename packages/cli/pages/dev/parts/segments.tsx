import type { ReactNode } from "react";

/** A group of buttons with one selected. */
export function Segments({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    <fieldset className="segments" aria-label={label}>
      {children}
    </fieldset>
  );
}
