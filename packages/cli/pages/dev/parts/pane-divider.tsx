import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import { defaultSize, limitPane, PANE_LIMITS, type PaneSize } from "../page-layout.ts";

const STEP = 16;

/** The line between two panes. It is dragged, or moved with arrow keys; a double click resets it. */
export function PaneDivider({
  host,
  pane,
  label,
}: {
  host: DevHost;
  pane: PaneSize;
  label: string;
}): ReactNode {
  const { [pane]: size } = useFields(host.layout, pane);
  const drag = useRef<{ at: number; size: number }>(undefined);
  const isRow = pane === "inspectorHeight";
  // The tools grow to the right; the inspector, on the other side, to the left or upwards.
  const direction = pane === "toolsWidth" ? 1 : -1;
  const resize = (next: number): void => host.layout.set({ [pane]: limitPane(pane, next) });
  const placeOf = (event: PointerEvent): number => (isRow ? event.clientY : event.clientX);

  const onKeyDown = (event: KeyboardEvent): void => {
    const { least, most } = PANE_LIMITS[pane];
    const sizes: Record<string, number> = {
      [isRow ? "ArrowDown" : "ArrowRight"]: size + STEP * direction,
      [isRow ? "ArrowUp" : "ArrowLeft"]: size - STEP * direction,
      Home: least,
      End: most,
    };
    const next = sizes[event.key];
    if (next === undefined) return;
    event.preventDefault();
    resize(next);
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr can't be focused or dragged.
    <div
      className="divider"
      role="separator"
      data-row={isRow}
      aria-label={label}
      aria-orientation={isRow ? "horizontal" : "vertical"}
      aria-valuenow={size}
      aria-valuemin={PANE_LIMITS[pane].least}
      aria-valuemax={PANE_LIMITS[pane].most}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onDoubleClick={() => resize(defaultSize(pane))}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        drag.current = { at: placeOf(event), size };
      }}
      onPointerMove={(event) => {
        const from = drag.current;
        if (from) resize(from.size + (placeOf(event) - from.at) * direction);
      }}
      onLostPointerCapture={() => {
        drag.current = undefined;
      }}
    />
  );
}
