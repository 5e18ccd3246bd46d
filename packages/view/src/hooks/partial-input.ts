import type { AppTypes } from "@vitrine/protocol/apps";
import type { App } from "../app.ts";
import type { Listener } from "../app-events.ts";
import { followTool } from "../mounted-app.ts";
import type { PartialToolInput } from "../typed-app.ts";
import { type Cell, createStore } from "./cell.ts";

/** The value of `usePartialInput`. */
export interface PartialInput<T extends AppTypes = AppTypes> {
  /** The arguments as far as the model has written them; any field may be missing or incomplete. */
  input: PartialToolInput<T>["arguments"] | undefined;
  /** Whether the model has finished. Only then act on the input (VEW-09). */
  isComplete: boolean;
}

/** Creates the input of a tool while it is written. */
export function createPartialInput<T extends AppTypes>(): Cell<PartialInput<T>, App<T>> {
  const store = createStore<PartialInput<T>>({ input: undefined, isComplete: false });
  return {
    get: store.get,
    subscribe: store.subscribe,
    connect: (app) => {
      const takePart: Listener<"toolinputpartial", T> = ({ arguments: input }) =>
        store.change({ input, isComplete: false });
      app?.addEventListener("toolinputpartial", takePart);
      const stop = followTool(app, "toolinput", (params) => {
        const input = params?.arguments as PartialInput<T>["input"];
        if (params) store.change({ input, isComplete: true });
      });
      return () => {
        app?.removeEventListener("toolinputpartial", takePart);
        stop();
      };
    },
  };
}
