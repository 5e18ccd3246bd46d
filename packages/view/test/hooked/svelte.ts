import { useApp, useViewState } from "@vitrine/view/svelte";
import { type Component, mount, onDestroy, unmount } from "svelte";
import { derived } from "svelte/store";
import { type HookedView, MODEL, type MountHooked, type Shown } from "./hooked-view.ts";

export const mountSvelte: MountHooked = (place, options) => {
  const actions: Partial<HookedView> = {};
  // It does manually what the compiler makes of `$store`, because these tests run uncompiled.
  const component: Component = (anchor) => {
    const paragraph = document.createElement("p");
    (anchor as unknown as Comment).before(paragraph);
    const view = useApp(options);
    const filter = useViewState(view, "filter", "all", MODEL);
    Object.assign(actions, { setFilter: filter.value.set });
    const shown = derived(
      [filter.value, filter.isRestored],
      ([filter, isRestored]): Shown => ({ filter, isRestored }),
    );
    onDestroy(
      shown.subscribe((value) => {
        paragraph.textContent = JSON.stringify(value);
      }),
    );
    return {};
  };
  const mounted = mount(component, { target: place, context: new Map() });
  return {
    setFilter: (value) => actions.setFilter?.(value),
    unmount: () => void unmount(mounted),
  };
};
