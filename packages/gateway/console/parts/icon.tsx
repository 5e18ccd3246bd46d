import type { JSX } from "preact";

const PATHS = {
  overview: "M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z",
  server: "M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01",
  live: "M2 8h2.5l2-5 3 10 2-5H14",
  approval: "M8 1.8 13 4v4c0 3-2.1 5.2-5 6.2C5.1 13.2 3 11 3 8V4zM5.8 8l1.7 1.7 3-3.2",
  user: "M8 8a2.7 2.7 0 1 0 0-5.4A2.7 2.7 0 0 0 8 8zM2.8 13.5c.5-2.4 2.6-3.7 5.2-3.7s4.7 1.3 5.2 3.7",
  grant: "M10.5 2.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8.3 7.7 3 13M5 11l1.5 1.5M3 13l1.2 1",
  audit: "M3.5 2h9v12h-9zM6 5h4M6 8h4M6 11h2.5",
  registry: "M8 2 14 5 8 8 2 5zM2 8l6 3 6-3M2 11l6 3 6-3",
  check: "M3 8.5 6.5 12 13 4.5",
  alert: "M8 2.5 14 13H2zM8 6.5v3M8 11.3h.01",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  play: "M5 3.5v9l7-4.5z",
  question: "M5.8 6a2.2 2.2 0 1 1 3.3 1.9c-.7.4-1.1.8-1.1 1.6M8 12h.01",
  down: "M4 4l8 8M12 4l-8 8",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z",
  screen: "M2 3h12v8H2zM6 13.5h4M8 11v2.5",
  menu: "M2.5 4h11M2.5 8h11M2.5 12h11",
  back: "M10 3 5 8l5 5",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  edit: "M10.5 3 13 5.5 5.5 13H3v-2.5z",
  copy: "M5.5 5.5h7v7h-7zM3.5 10.5v-7h7",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5 14 14",
  refresh: "M13 8a5 5 0 1 1-1.5-3.5L13 6M13 2.5V6H9.5",
  exit: "M6 2.5H3v11h3M10 5l3 3-3 3M13 8H6.5",
  clock: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3.2l2 1.3",
  blocked: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM4.2 4.2l7.6 7.6",
} as const;

/** The names of the icons. */
export type IconName = keyof typeof PATHS;

/** A decorative icon; the control or the text next to it has the name. */
export function Icon({ name, size = 16 }: { name: IconName; size?: 16 | 20 }): JSX.Element {
  return (
    <svg class="glyph" viewBox="0 0 16 16" width={size} height={size} aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
