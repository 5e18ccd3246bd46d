import {
  type ModelContextPart,
  useApp,
  useDisplayMode,
  useModelContext,
  usePartialInput,
  useToolCall,
  useUpload,
  useViewState,
} from "@vitrine/view/vue";
import { createApp, h, shallowRef } from "vue";
import { type HookedView, MODEL, type MountHooked, type Shown, UPLOAD } from "./hooked-view.ts";

export const mountVue: MountHooked = (place, options) => {
  const actions: Partial<HookedView> = {};
  const component = createApp({
    setup: () => {
      const { app } = useApp(options);
      const filter = useViewState(app, "filter", "all", MODEL);
      const part = shallowRef<ModelContextPart>();
      useModelContext(app, part);
      const { input, isComplete } = usePartialInput(app);
      const { mode, available, request } = useDisplayMode(app);
      const { isPending, data, error, run, cancel, reset } = useToolCall(app, "save");
      const files = useUpload(app, UPLOAD);
      const { upload, cancel: cancelUpload } = files;
      Object.assign(actions, { run, cancel, reset, request, upload, cancelUpload });
      actions.setFilter = (value) => {
        filter.value.value = value;
      };
      actions.tell = (next) => {
        part.value = next;
      };
      const shown = (): Shown => ({
        filter: filter.value.value,
        isRestored: filter.isRestored.value,
        input: input.value,
        isComplete: isComplete.value,
        mode: mode.value,
        available: available.value,
        isPending: isPending.value,
        data: data.value,
        error: error.value?.message,
        sent: files.progress.value,
        sending: files.isPending.value,
        sendError: files.error.value?.message,
      });
      return () => h("p", JSON.stringify(shown()));
    },
  });
  component.mount(place);
  return { actions, unmount: () => component.unmount() };
};
