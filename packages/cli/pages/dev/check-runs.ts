import type { Peer } from "@vitrine/protocol";
import type { CheckOutcome, CheckPicture } from "../../src/dev/dev-check.ts";
import { createStore, type Store } from "../store.ts";

/** A check of the server, as the page shows it. */
export interface CheckState {
  isRunning: boolean;
  /** The last picture of each state. */
  pictures: readonly CheckPicture[];
  outcome: CheckOutcome | undefined;
  /** Why there is no outcome. */
  failure: string | undefined;
}

/** Checks the server. */
export interface CheckRuns {
  readonly state: Store<CheckState>;
  run(): Promise<void>;
}

// All runs of all views, some of them twice.
const LONGEST = 30 * 60_000;

/** Creates it; pictures arrive while the check runs. */
export function createCheckRuns(peer: Peer): CheckRuns {
  const state = createStore<CheckState>({
    isRunning: false,
    pictures: [],
    outcome: undefined,
    failure: undefined,
  });
  peer.on("dev/check-picture", (params) => {
    const picture = params as CheckPicture;
    const others = state
      .get()
      .pictures.filter((one) => one.tool !== picture.tool || one.state !== picture.state);
    state.set({ pictures: [...others, picture] });
  });
  return {
    state,
    run: async () => {
      state.set({ isRunning: true, pictures: [], outcome: undefined, failure: undefined });
      try {
        const answer = (await peer.request("dev/check", {}, { timeout: LONGEST })) as
          | CheckOutcome
          | { failure: string };
        if ("failure" in answer) state.set({ failure: answer.failure });
        else state.set({ outcome: answer });
      } catch (error) {
        state.set({ failure: error instanceof Error ? error.message : String(error) });
      } finally {
        state.set({ isRunning: false });
      }
    },
  };
}
