import type { ReactNode } from "react";

const PATHS = {
  plus: "M8 3v10M3 8h10",
  send: "M8 13V3M3.5 7.5 8 3l4.5 4.5",
  stop: "M4.5 4.5h7v7h-7z",
  menu: "M2.5 4h11M2.5 8h11M2.5 12h11",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  close: "M4 4l8 8M12 4l-8 8",
  chevron: "M6 4l4 4-4 4",
  tool: "M9.5 2.5a3.5 3.5 0 0 0-3.3 4.6L2.5 10.8a1.5 1.5 0 0 0 0 2.1l.6.6a1.5 1.5 0 0 0 2.1 0l3.7-3.7a3.5 3.5 0 0 0 4.5-4.4L11.3 7.5 9 7l-.5-2.3 2.1-2.1a3.5 3.5 0 0 0-1.1-.1z",
  retry: "M13 8a5 5 0 1 1-1.5-3.5L13 6M13 2.5V6H9.5",
  settings: "M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6M10 3.2v3.6M6 9.2v3.6",
  server: "M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01",
  alert: "M8 2.5 14 13H2zM8 6.5v3M8 11.3h.01",
  check: "M3 8.5 6.5 12 13 4.5",
  copy: "M5.5 5.5h7v7h-7zM3.5 10.5v-7h7",
  denied: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM4.2 4.2l7.6 7.6",
  edit: "M10.5 3 13 5.5 5.5 13H3v-2.5z",
  trash: "M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5l.5 8.5h6l.5-8.5",
} as const;

/** The names of the icons. */
export type IconName = keyof typeof PATHS;

/** A decorative icon; the control around it has the name for screen readers. */
export function Icon({ name, size = 16 }: { name: IconName; size?: 16 | 20 }): ReactNode {
  return (
    <svg className="glyph" viewBox="0 0 16 16" width={size} height={size} aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
