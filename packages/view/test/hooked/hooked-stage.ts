import type { HostScript } from "@vitrine/internal/scripted-host";
import { afterEach, expect, vi } from "vitest";
import { openStage, type SkinStage } from "../skin-stage.ts";
import type { HookedView, MountHooked, Shown } from "./hooked-view.ts";
import { mountReact } from "./react.tsx";
import { mountSvelte } from "./svelte.ts";
import { mountVue } from "./vue.ts";

export const FRAMEWORKS: [string, MountHooked][] = [
  ["React", mountReact],
  ["Vue", mountVue],
  ["Svelte", mountSvelte],
];

/** The component with every hook, and the hosts it met. */
export interface HookedStage extends Pick<SkinStage, "hosts" | "change"> {
  /** Mounts it, in place of the one before, with a Host of this script. */
  show(mount: MountHooked, script?: HostScript): void;
  /** Waits until a number of hosts have been connected to. */
  connected(count?: number): Promise<void>;
  shown(): Shown;
  /** Waits until it shows this. */
  until(expected: Partial<Shown>): Promise<void>;
  readonly view: HookedView;
  unmount(): void;
}

/** Opens a stage for each test of the file. */
export function openHookedStage(): HookedStage {
  const stage = openStage();
  const { hosts, meet, change } = stage;
  let mounted: ReturnType<MountHooked> | undefined;
  const unmount = (): void => {
    mounted?.unmount();
    mounted = undefined;
  };
  afterEach(unmount);
  const shown = (): Shown => JSON.parse(stage.text ?? "{}") as Shown;
  return {
    hosts,
    change,
    show: (mount, script) => {
      unmount();
      mounted = mount(stage.place, meet(script));
    },
    connected: (count = 1) =>
      vi.waitFor(() => {
        expect(hosts).toHaveLength(count);
        expect(hosts.at(-1)?.methods).toContain("ui/notifications/initialized");
        expect(stage.text).toBeDefined();
      }),
    shown,
    until: (expected) => vi.waitFor(() => expect(shown()).toMatchObject(expected)),
    get view() {
      return mounted?.actions as HookedView;
    },
    unmount,
  };
}
