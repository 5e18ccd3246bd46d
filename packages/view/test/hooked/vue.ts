import { useApp, useViewState } from "@vitrine/view/vue";
import { createApp, h } from "vue";
import { type HookedView, MODEL, type MountHooked, type Shown } from "./hooked-view.ts";

export const mountVue: MountHooked = (place, options) => {
  const actions: Partial<HookedView> = {};
  const component = createApp({
    setup: () => {
      const { app } = useApp(options);
      const filter = useViewState(app, "filter", "all", MODEL);
      Object.assign(actions, {
        setFilter: (value: string) => {
          filter.value.value = value;
        },
      });
      const shown = (): Shown => ({
        filter: filter.value.value,
        isRestored: filter.isRestored.value,
      });
      return () => h("p", JSON.stringify(shown()));
    },
  });
  component.mount(place);
  return {
    setFilter: (value) => actions.setFilter?.(value),
    unmount: () => component.unmount(),
  };
};
