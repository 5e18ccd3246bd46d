import type { ModelContextPart, UseAppOptions } from "@vitrine/view/react";

/** What a component with every hook shows, as JSON in its paragraph. */
export interface Shown {
  filter: string;
  isRestored: boolean;
  input: unknown;
  isComplete: boolean;
  mode: string;
  available: readonly string[];
  isPending: boolean;
  data: unknown;
  error: string | undefined;
  sent: number;
  sending: boolean;
  sendError: string | undefined;
}

/** What a test does to it. */
export interface HookedView {
  setFilter(value: string): void;
  tell(part: ModelContextPart): void;
  run(args: Record<string, unknown>): Promise<unknown>;
  cancel(): void;
  reset(): void;
  request(mode: "inline" | "fullscreen" | "pip"): Promise<string>;
  upload(file: File): Promise<unknown>;
  cancelUpload(): void;
}

/** Mounts the same component in one framework; `actions` are there after its first render. */
export type MountHooked = (
  place: HTMLElement,
  options: UseAppOptions,
) => { actions: Partial<HookedView>; unmount(): void };

/** Options of the hooks, the same everywhere. */
export const MODEL = { model: (filter: string) => `The user filters by ${filter}` };
export const UPLOAD = { tool: "receive", partSize: 4, maxSize: 10 };
