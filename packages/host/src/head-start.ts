/** Milliseconds after which the others start, even if the first view isn't shown yet. */
const LONGEST = 600;

/**
 * Lets one of several restored views load before the others. A reloaded page starts all views on screen at
 * once; if they load at once too, the user waits for the slowest.
 */
export class HeadStart {
  #leading: Promise<void> | undefined;

  /** Resolves when the view may start, with a function to call when it is shown or has failed. */
  async take(): Promise<() => void> {
    if (this.#leading) {
      await this.#leading;
      return () => {};
    }
    let end = (): void => {};
    const leading = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#leading = leading;
    // An earlier view may end its turn again, when it fails later.
    void leading.then(() => {
      if (this.#leading === leading) this.#leading = undefined;
    });
    setTimeout(end, LONGEST);
    return end;
  }
}
