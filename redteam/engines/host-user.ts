import { setTimeout as sleep } from "node:timers/promises";
import type { EnginePage, Hand } from "./engine.ts";

/** A place and its size, in the top document. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

// Steps of a hand on its way, in pixels before where it goes.
const WAY = [90, 40, 12, 0];

/** Somebody with a mouse and a keyboard before a page. */
export class User {
  readonly #page: EnginePage;
  readonly #hand: Hand;

  constructor(page: EnginePage) {
    if (!page.hand) throw new Error("This browser was started without a screen to work on.");
    this.#page = page;
    this.#hand = page.hand;
  }

  /** Moves the mouse over what lies before something, and clicks in its middle or at a point of it. */
  async click(box: Box, at = { x: box.width / 2, y: box.height / 2 }): Promise<void> {
    const [x, y] = [box.x + at.x, box.y + at.y];
    await this.#settle();
    for (const rest of WAY) {
      await this.#hand.move(Math.max(x - rest, 1), Math.max(y - rest / 2, 1));
      await sleep(50);
    }
    await this.#hand.press();
    await sleep(150);
  }

  /** Waits until presses count again after a change of the layout. */
  async #settle(): Promise<void> {
    const isShielded = () => document.querySelector("[data-vitrine-shield]") !== null;
    for (let tries = 0; tries < 20; tries += 1) {
      if (!(await this.#page.evaluate(isShielded, null))) return;
      await sleep(100);
    }
  }

  async moveTo({ x, y, width, height }: Box): Promise<void> {
    await this.#hand.move(x + width / 2, y + height / 2);
  }

  /** Clicks where the mouse is. */
  async press(): Promise<void> {
    await this.#hand.press();
  }

  async type(text: string, pause = 60): Promise<void> {
    for (const character of text) {
      await this.#hand.key(character);
      await sleep(pause);
    }
  }

  /** Puts a field into the page, like that of a conversation, and goes there. */
  async beginField(): Promise<void> {
    await this.#page.evaluate(() => {
      const field = document.createElement("textarea");
      field.style.display = "block";
      document.body.prepend(field);
    }, null);
    await this.goToField();
  }

  async goToField(): Promise<void> {
    await this.click((await this.#readField()).box);
  }

  /** The typed text. */
  async typed(): Promise<string> {
    return (await this.#readField()).value;
  }

  #readField(): Promise<{ box: Box; value: string }> {
    return this.#page.evaluate(() => {
      const field = document.querySelector("textarea") as HTMLTextAreaElement;
      const { x, y, width, height } = field.getBoundingClientRect();
      return { box: { x, y, width, height }, value: field.value };
    }, null);
  }
}
