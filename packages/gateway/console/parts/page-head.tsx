import type { ComponentChildren, JSX } from "preact";

/** The heading of a page, its actions and one sentence about it. */
export function PageHead({
  title,
  children,
  lead,
}: {
  title: ComponentChildren;
  lead?: ComponentChildren;
  /** Actions at the end of the line. */
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="page-head">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {lead && <p class="quiet">{lead}</p>}
      </div>
      {children && <div class="actions">{children}</div>}
    </div>
  );
}
