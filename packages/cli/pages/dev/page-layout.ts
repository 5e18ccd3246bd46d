// How the page itself is laid out. Unlike the settings, it says nothing about the simulated host, so it
// isn't recorded, and it stays for the next session.

import { createStore, type Store } from "../store.ts";

/** The panes' sizes in pixels, and which of them are visible. */
export interface PageLayout {
  /** The page's own theme; views have theirs in the settings. */
  theme: "system" | "light" | "dark";
  toolsWidth: number;
  inspectorWidth: number;
  /** Where the inspector is below the view. */
  inspectorHeight: number;
  hasTools: boolean;
  hasInspector: boolean;
  /** Below the view it is closed at first: the view needs the height. */
  hasInspectorBelow: boolean;
  hasResult: boolean;
}

/** A pane whose size the user can change. */
export type PaneSize = "toolsWidth" | "inspectorWidth" | "inspectorHeight";

/** What a pane needs at least, and what leaves room for a view. */
export const PANE_LIMITS: Record<PaneSize, { least: number; most: number }> = {
  toolsWidth: { least: 200, most: 560 },
  inspectorWidth: { least: 300, most: 900 },
  inspectorHeight: { least: 140, most: 600 },
};

/** Whether the inspector is next to the view; otherwise it is below. */
export const IS_WIDE = "(min-width: 1181px)";

const DEFAULTS: PageLayout = {
  theme: "system",
  toolsWidth: 264,
  inspectorWidth: 440,
  inspectorHeight: 260,
  hasTools: true,
  hasInspector: true,
  hasInspectorBelow: false,
  hasResult: true,
};
const KEY = "vitrine-dev-layout";

/** The layout of the last session; every change is stored. */
export function createLayout(storage: Pick<Storage, "getItem" | "setItem">): Store<PageLayout> {
  const store = createStore(savedLayout(storage));
  store.subscribe(() => {
    try {
      storage.setItem(KEY, JSON.stringify(store.get()));
    } catch {
      // Then it only applies to this page.
    }
  });
  return store;
}

/** A size within its limits. */
export function limitPane(pane: PaneSize, size: number): number {
  const { least, most } = PANE_LIMITS[pane];
  return Math.round(Math.min(Math.max(size, least), most));
}

/** Restores a pane's default size. */
export function defaultSize(pane: PaneSize): number {
  return DEFAULTS[pane];
}

function savedLayout(storage: Pick<Storage, "getItem">): PageLayout {
  let saved: Record<string, unknown> = {};
  try {
    saved = Object(JSON.parse(storage.getItem(KEY) ?? "{}"));
  } catch {
    // Whatever it was, the defaults work.
  }
  const layout: PageLayout = { ...DEFAULTS };
  for (const name of Object.keys(PANE_LIMITS) as PaneSize[]) {
    const size = saved[name];
    if (typeof size === "number" && Number.isFinite(size)) layout[name] = limitPane(name, size);
  }
  for (const name of ["hasTools", "hasInspector", "hasInspectorBelow", "hasResult"] as const)
    if (typeof saved[name] === "boolean") layout[name] = saved[name];
  if (saved.theme === "light" || saved.theme === "dark") layout.theme = saved.theme;
  return layout;
}
