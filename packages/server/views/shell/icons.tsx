// Drawn on 16 × 16, as paths alone: every template ships only those it uses.

/** An icon next to a word, or inside a button that has a name. `turns` mirrors it in right-to-left text. */
export function Icon({ path, turns }: { path: string; turns?: boolean }) {
  return (
    <svg class={turns ? "icon turns" : "icon"} viewBox="0 0 16 16" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

export const ALERT = "M8 5v3.5M8 11v0M8 1.75a6.25 6.25 0 1 0 0 12.5a6.25 6.25 0 1 0 0-12.5";
export const STOPPED = "M5.5 8h5M8 1.75a6.25 6.25 0 1 0 0 12.5a6.25 6.25 0 1 0 0-12.5";
export const DONE = "M5.25 8.25l2 2l3.5-4M8 1.75a6.25 6.25 0 1 0 0 12.5a6.25 6.25 0 1 0 0-12.5";
export const BOX = "M2 9l2-6h8l2 6v4.25H2zM2 9h3.75v1.5h4.5V9H14";
export const CHECK = "M3 8.5l3.25 3.25L13 5";
export const CROSS = "M4 4l8 8M12 4l-8 8";
export const PREVIOUS = "M10 3.5L5.5 8l4.5 4.5";
export const NEXT = "M6 3.5L10.5 8L6 12.5";
export const UP = "M8 13V3M4 7l4-4l4 4";
export const DOWN = "M8 3v10M4 9l4 4l4-4";
export const EXPAND = "M3.5 6L8 10.5L12.5 6";
export const SEARCH = "M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M10.25 10.25L13.5 13.5";
export const MORE = "M3.5 8v0M8 8v0M12.5 8v0";
