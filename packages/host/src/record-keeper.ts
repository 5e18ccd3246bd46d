import { type RecordStore, readRecord, type ViewRecord } from "./view-record.ts";

/** The record of one view: what an earlier document saved, and what to keep of this one. */
export class RecordKeeper {
  readonly #key: string;
  readonly #store: RecordStore;
  readonly #forgotten: AbortSignal;
  /** Resolves when the stored record is loaded; a store that fails has none. */
  readonly restored: Promise<void>;
  #isUnsaved = false;
  record: ViewRecord;

  /** @param forgotten Aborted when the record is deleted: a view that is being closed still saves. */
  constructor(key: string, store: RecordStore, record: ViewRecord, forgotten: AbortSignal) {
    this.#key = key;
    this.#store = store;
    this.#forgotten = forgotten;
    this.record = record;
    this.restored = this.#restore();
  }

  /** Changes the record. */
  keep(change: Partial<ViewRecord>): void {
    Object.assign(this.record, change);
    if (this.#isUnsaved) return;
    this.#isUnsaved = true;
    // Once for all changes of a turn: a view may send many at once.
    queueMicrotask(() => void this.#save());
  }

  /**
   * Binds the record to a document that may be shown. Data of another document is dropped, because it
   * wasn't reviewed together with this one. Returns the hash of the other document, if there was one.
   */
  bind(resourceHash: string, keepsState = false): string | undefined {
    const { resourceHash: before } = this.record;
    if (before === resourceHash) return undefined;
    const dropped = { state: undefined, modelContext: undefined, granted: undefined };
    this.keep({ resourceHash, ...(!keepsState && dropped) });
    return before;
  }

  async #restore(): Promise<void> {
    try {
      const kept = readRecord(await this.#store.get(this.#key), this.record);
      // Data that the host has set since is newer.
      if (kept) this.record = { ...kept, ...this.record };
    } catch {
      // The view starts from scratch, as it does without a store.
    }
  }

  async #save(): Promise<void> {
    await this.restored;
    this.#isUnsaved = false;
    if (this.#forgotten.aborted) return;
    try {
      await this.#store.set(this.#key, this.record);
    } catch {
      // The next change tries again.
    }
  }
}
