import type { AskingView } from "../consent/consent.ts";
import type { RecordKeeper } from "../record-keeper.ts";
import type { ModelContext, ModelContextUpdate } from "./model-context.ts";

/**
 * The model context of one view, over all loads of its document. A suspended view keeps its context:
 * it stays in the page, and the user expects the model to know it.
 */
export class ViewContext {
  readonly #key: string;
  readonly #all: ModelContext;
  readonly #keeper: RecordKeeper;

  constructor(key: string, all: ModelContext, keeper: RecordKeeper) {
    this.#key = key;
    this.#all = all;
    this.#keeper = keeper;
  }

  /** Takes an update of a document; one that is being closed doesn't reach the model. */
  update(update: ModelContextUpdate, from: AskingView, isLeaving: boolean): void {
    if (!isLeaving) this.#all.set(this.#key, update, from);
    this.#keeper.keep({ modelContext: update });
  }

  /** Restores the context that the same document set before, now that it runs again. */
  restore(from: AskingView): void {
    const { modelContext } = this.#keeper.record;
    if (!modelContext) return;
    try {
      this.#all.set(this.#key, modelContext, from);
    } catch {
      // There is no room for it: other views have sent more since.
      this.#keeper.keep({ modelContext: undefined });
    }
  }

  /** Hides it from the model; a view that comes back may restore it. */
  hide(): void {
    this.#all.delete(this.#key);
  }

  /** Removes it for good: its view was stopped, failed or crashed. Returns whether there was any. */
  remove(): boolean {
    const { modelContext } = this.#keeper.record;
    this.hide();
    this.#keeper.keep({ modelContext: undefined });
    return Object.keys(modelContext ?? {}).length > 0;
  }
}
