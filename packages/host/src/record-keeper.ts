import { type RecordStore, readRecord, type ViewRecord } from "./view-record.ts";

/** The record of one View: what an earlier life left, and what is to be kept of this one. */
export class RecordKeeper {
  readonly #key: string;
  readonly #store: RecordStore;
  /** Resolved when what was kept is known; a store that fails has kept nothing. */
  readonly restored: Promise<void>;
  #isUnsaved = false;
  record: ViewRecord;

  constructor(key: string, store: RecordStore, record: ViewRecord) {
    this.#key = key;
    this.#store = store;
    this.record = record;
    this.restored = this.#restore();
  }

  /** Changes the record. */
  keep(change: Partial<ViewRecord>): void {
    Object.assign(this.record, change);
    if (this.#isUnsaved) return;
    this.#isUnsaved = true;
    // Once for all changes of a turn: a View may say much at once.
    queueMicrotask(() => void this.#save());
  }

  async #restore(): Promise<void> {
    try {
      const kept = readRecord(await this.#store.get(this.#key), this.record);
      // What the Host has said since is newer.
      if (kept) this.record = { ...kept, ...this.record };
    } catch {
      // The View starts anew, which is what happens without a store.
    }
  }

  async #save(): Promise<void> {
    await this.restored;
    this.#isUnsaved = false;
    try {
      await this.#store.set(this.#key, this.record);
    } catch {
      // The next change tries again.
    }
  }
}
