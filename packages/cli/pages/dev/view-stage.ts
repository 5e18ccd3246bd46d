// The View in the middle of the page. A View that is loaded anew stands behind the old one until it can be
// seen, with the same input, result and state: nothing flickers, and nothing that was typed is lost.

import {
  createHost,
  type Host,
  type HostedView,
  type HostOptions,
  type Stage,
  type Upstream,
  type ViewRecord,
} from "@vitrine/host";
import type { Tool } from "@vitrine/protocol/apps";

/** What to show. */
export interface Scene {
  tool: Tool;
  upstream: Upstream;
}

/** The place for one View at a time. */
export interface ViewStage {
  readonly view: HostedView | undefined;
  readonly host: Host | undefined;
  /** Of the page that is shown, as the Server sent it. */
  readonly hash: string | undefined;
  /** Where Views stand; what is shown moves along. */
  place(element: HTMLElement | null): void;
  /** Replaces the Host; the View is loaded anew in it. */
  setOptions(options: HostOptions): void;
  /** The options of the next Host; this one stays. */
  updateOptions(options: HostOptions): void;
  /** Shows another View from its beginning. */
  show(scene: Scene): HostedView | undefined;
  /** Loads what is shown anew, told what it was told; it is heard out before, if it was not just now. */
  renew(scene: Scene, options?: { isHeardOut?: boolean }): Promise<void>;
  /** Waits until all that the View has said is here, its state among it. */
  hearOut(): Promise<void>;
  clear(): void;
}

/** What happens on stage. */
export interface ViewStageEvents {
  onStage(view: HostedView, stage: Stage): void;
  onHost(host: Host): void;
  /** Milliseconds until the Host has written down the state that the View told it last. */
  stateDue(): number;
}

// Long enough for a slow View; one that fails to come is shown with its reason then.
const PATIENCE = 8000;
// A View that is busy for longer loses what it said last.
const HEARING = 150;

/** Sets the stage. */
export function createViewStage({ onStage, onHost, stateDue }: ViewStageEvents): ViewStage {
  const records = new Map<string, ViewRecord>();
  let element: HTMLElement | null = null;
  let host: Host | undefined;
  let current: { view: HostedView; slot: HTMLElement; scene: Scene } | undefined;
  let options: HostOptions | undefined;
  let count = 0;

  const mount = (scene: Scene, record?: ViewRecord): HostedView | undefined => {
    if (!element || !options) return undefined;
    if (!host) {
      host = createHost({ ...options, store: records });
      onHost(host);
    }
    const key = `view-${++count}`;
    if (record) records.set(key, record);
    const slot = document.createElement("div");
    slot.className = "slot";
    const last = current;
    if (last) slot.classList.add("waiting");
    element.append(slot);
    const view = host.mount(slot, { key, upstream: scene.upstream, tool: scene.tool, callId: key });
    current = { view, slot, scene };
    let isSettled = false;
    const settle = (): void => {
      if (isSettled) return;
      isSettled = true;
      slot.classList.remove("waiting");
      if (last) remove(last);
    };
    view.onStage((stage) => {
      onStage(view, stage);
      if (stage === "shown") settle();
    });
    view.onClose(settle);
    // Only a View that replaces itself waits behind what it replaces.
    if (record) setTimeout(settle, PATIENCE);
    else settle();
    return view;
  };
  const remove = ({ view, slot }: NonNullable<typeof current>): void => {
    void view.close("replaced").then(() => slot.remove());
    records.delete(view.key);
  };

  const stage: ViewStage = {
    get view() {
      return current?.view;
    },
    get host() {
      return host;
    },
    get hash() {
      return current && records.get(current.view.key)?.resourceHash;
    },
    updateOptions: (next) => {
      options = next;
    },
    place: (next) => {
      element = next;
      if (next && current && current.slot.parentNode !== next) next.append(current.slot);
    },
    setOptions: (next) => {
      options = next;
      const last = host;
      host = undefined;
      // Views of the old Host end with it, when the new one has taken over.
      if (last) setTimeout(() => void last.close(), PATIENCE);
    },
    show: (scene) => mount(scene),
    hearOut: async () => {
      if (!current) return;
      await heardOut(current.view);
      const due = stateDue();
      if (due > 0) await new Promise((resolve) => setTimeout(resolve, due));
    },
    renew: async (scene, { isHeardOut = false } = {}) => {
      const { view } = current ?? {};
      if (!isHeardOut) await stage.hearOut();
      // Another one came while the View was heard out.
      if (view !== current?.view) return;
      const record = view && records.get(view.key);
      mount(scene, record && structuredClone(record));
    },
    clear: () => {
      if (current) remove(current);
      current = undefined;
    },
  };
  return stage;
}

/** An answer comes after all that was said before. */
async function heardOut({ bridge }: HostedView): Promise<void> {
  if (!bridge?.initialized) return;
  const answered = bridge.peer.request("ping").catch(() => {});
  await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, HEARING))]);
}
