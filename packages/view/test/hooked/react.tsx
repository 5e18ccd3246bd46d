import {
  type ModelContextPart,
  type UseAppOptions,
  useApp,
  useDisplayMode,
  useModelContext,
  usePartialInput,
  useToolCall,
  useUpload,
  useViewState,
} from "@vitrine/view/react";
import { type ReactNode, StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { type HookedView, MODEL, type MountHooked, type Shown, UPLOAD } from "./hooked-view.ts";

function Hooked(props: { options: UseAppOptions; actions: Partial<HookedView> }): ReactNode {
  const { app } = useApp(props.options);
  const [filter, setFilter, isRestored] = useViewState(app, "filter", "all", MODEL);
  const [part, tell] = useState<ModelContextPart>();
  useModelContext(app, part);
  const { input, isComplete } = usePartialInput(app);
  const { mode, available, request } = useDisplayMode(app);
  const { isPending, data, error, run, cancel, reset } = useToolCall(app, "save");
  const files = useUpload(app, UPLOAD);
  const { upload, cancel: cancelUpload } = files;
  const actions: HookedView = {
    setFilter,
    tell,
    run,
    cancel,
    reset,
    request,
    upload,
    cancelUpload,
  };
  Object.assign(props.actions, actions);
  const shown: Shown = {
    ...{ filter, isRestored, input, isComplete, mode, available, isPending, data },
    error: error?.message,
    sent: files.progress,
    sending: files.isPending,
    sendError: files.error?.message,
  };
  return <p>{JSON.stringify(shown)}</p>;
}

export const mountReact: MountHooked = (place, options) => {
  const root = createRoot(place);
  const actions: Partial<HookedView> = {};
  root.render(
    <StrictMode>
      <Hooked options={options} actions={actions} />
    </StrictMode>,
  );
  return { actions, unmount: () => root.unmount() };
};
