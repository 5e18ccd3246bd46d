import {
  type ModelContextPart,
  useApp,
  useDisplayMode,
  useModelContext,
  usePartialInput,
  useToolCall,
  useUpload,
  useViewState,
} from "@vitrine/view/svelte";
import { type Component, mount, onDestroy, unmount } from "svelte";
import { derived, writable } from "svelte/store";
import { type HookedView, MODEL, type MountHooked, type Shown, UPLOAD } from "./hooked-view.ts";

export const mountSvelte: MountHooked = (place, options) => {
  const actions: Partial<HookedView> = {};
  // It does manually what the compiler makes of `$store`, because these tests run uncompiled.
  const component: Component = (anchor) => {
    const paragraph = document.createElement("p");
    (anchor as unknown as Comment).before(paragraph);
    const view = useApp(options);
    const filter = useViewState(view, "filter", "all", MODEL);
    const part = writable<ModelContextPart>();
    onDestroy(useModelContext(view, part));
    const partial = usePartialInput(view);
    const display = useDisplayMode(view);
    const call = useToolCall(view, "save");
    const files = useUpload(view, UPLOAD);
    const { run, cancel, reset } = call;
    const { upload, cancel: cancelUpload } = files;
    Object.assign(actions, { run, cancel, reset, upload, cancelUpload });
    actions.request = display.request;
    actions.setFilter = filter.value.set;
    actions.tell = part.set;
    const shown = derived(
      [filter.value, filter.isRestored, partial, display, call, files],
      ([filter, isRestored, { input, isComplete }, { mode, available }, called, files]): Shown => ({
        ...{ filter, isRestored, input, isComplete, mode, available },
        isPending: called.isPending,
        data: called.data,
        error: called.error?.message,
        sent: files.progress,
        sending: files.isPending,
        sendError: files.error?.message,
      }),
    );
    onDestroy(
      shown.subscribe((value) => {
        paragraph.textContent = JSON.stringify(value);
      }),
    );
    return {};
  };
  const mounted = mount(component, { target: place, context: new Map() });
  return { actions, unmount: () => void unmount(mounted) };
};
