import { type UseAppOptions, useApp, useViewState } from "@vitrine/view/react";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { type HookedView, MODEL, type MountHooked, type Shown } from "./hooked-view.ts";

function Hooked({
  options,
  actions,
}: {
  options: UseAppOptions;
  actions: Partial<HookedView>;
}): ReactNode {
  const { app } = useApp(options);
  const [filter, setFilter, isRestored] = useViewState(app, "filter", "all", MODEL);
  Object.assign(actions, { setFilter });
  return <p>{JSON.stringify({ filter, isRestored } satisfies Shown)}</p>;
}

export const mountReact: MountHooked = (place, options) => {
  const root = createRoot(place);
  const actions: Partial<HookedView> = {};
  root.render(
    <StrictMode>
      <Hooked options={options} actions={actions} />
    </StrictMode>,
  );
  return {
    setFilter: (value) => actions.setFilter?.(value),
    unmount: () => root.unmount(),
  };
};
