import type { ReactNode } from "react";

/** Buttons of which one is pressed. */
export function Segments({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    <fieldset className="segments" aria-label={label}>
      {children}
    </fieldset>
  );
}
