// One process at a time writes a folder; others wait until it is their turn.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { EngineError } from "../../engine/errors.ts";
import { lockFolder } from "../../engine/file/folder-lock.ts";
import { ArchiveError, archiveDiskError } from "./errors.ts";

/** The right to write a folder. */
export class FolderTurn {
  readonly #folder: string;
  readonly #onNotice: (text: string) => void;
  #isWaiting = false;
  #lock: { text: string; release(): Promise<void> } | undefined;

  constructor(folder: string, onNotice: (text: string) => void) {
    this.#folder = folder;
    this.#onNotice = onNotice;
  }

  /** Whether it is our turn now. */
  async take(): Promise<boolean> {
    const say = this.#onNotice;
    try {
      const release = await lockFolder(this.#folder, ({ text }) => say(text));
      this.#lock = { text: await this.#read(), release };
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== "locked") {
        throw archiveDiskError(this.#folder, (error as Error).cause ?? error);
      }
      if (!this.#isWaiting) say(`${this.#folder} is written by another process; this one waits.`);
      this.#isWaiting = true;
      return false;
    }
    if (this.#isWaiting) say(`${this.#folder} is written by this process now.`);
    this.#isWaiting = false;
    return true;
  }

  /** Fails with `lost` where it is another's turn: who was stopped for long may have been taken for dead. */
  async guard(): Promise<void> {
    if (this.#lock && (await this.#read()) === this.#lock.text) return;
    this.#lock = undefined;
    throw new ArchiveError("lost", `${this.#folder} was taken over by another process.`);
  }

  async giveBack(): Promise<void> {
    const lock = this.#lock;
    this.#lock = undefined;
    await lock?.release().catch(() => {});
  }

  #read(): Promise<string> {
    return readFile(join(this.#folder, "lock"), "utf8").catch(() => "");
  }
}
