import type { AppTypes, McpUiDisplayMode } from "@vitrine/protocol/apps";
import type { App } from "../app.ts";
import { followHostContext } from "../mounted-app.ts";
import { type Cell, createStore } from "./cell.ts";

/** The value of `useDisplayMode`. */
export interface DisplayModeState {
  mode: McpUiDisplayMode;
  /** The modes that the Host offers; hide the buttons of others. */
  available: readonly McpUiDisplayMode[];
}

/** The display mode, and how to change it. */
export interface DisplayModeCell<T extends AppTypes = AppTypes>
  extends Cell<DisplayModeState, App<T>> {
  /** Requests a mode. Resolves with the mode in force, which may be another; never rejects. */
  request(mode: McpUiDisplayMode): Promise<McpUiDisplayMode>;
}

const INLINE: readonly McpUiDisplayMode[] = ["inline"];

/** Creates the display mode of a View. */
export function createDisplayMode<T extends AppTypes>(): DisplayModeCell<T> {
  const store = createStore<DisplayModeState>({ mode: "inline", available: INLINE });
  let app: App<T> | null | undefined;
  return {
    get: store.get,
    subscribe: store.subscribe,
    connect: (next) => {
      app = next;
      return followHostContext(app, (context) => {
        const { displayMode: mode = "inline", availableDisplayModes: available = INLINE } =
          context ?? {};
        store.change({ mode, available });
      });
    },
    request: async (mode) => {
      try {
        const granted = await app?.requestDisplayMode({ mode });
        // Some hosts answer without a change of their context.
        if (granted?.mode) store.change({ mode: granted.mode });
      } catch {
        // Not available, or the user declined: the mode stays.
      }
      return store.get().mode;
    },
  };
}
