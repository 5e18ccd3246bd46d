import type { UseAppOptions } from "@vitrine/view/react";

/** What a component with every hook shows, as JSON in its paragraph. */
export interface Shown {
  filter: string;
  isRestored: boolean;
}

/** What a test does to it. */
export interface HookedView {
  setFilter(value: string): void;
  unmount(): void;
}

/** Mounts the same component in one framework. */
export type MountHooked = (place: HTMLElement, options: UseAppOptions) => HookedView;

/** Options of the hooks, the same everywhere. */
export const MODEL = { model: (filter: string) => `The user filters by ${filter}` };
