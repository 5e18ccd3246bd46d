import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type BrowserProcess, startProcess } from "./browser-process.ts";

// Requests and types of events of the X protocol, and of its extension for tests.
const QUERY_EXTENSION = 98;
const GET_KEYBOARD_MAPPING = 101;
const FAKE_INPUT = 2;
const KEY_PRESS = 2;
const BUTTON_PRESS = 4;
const MOTION = 6;

const SHIFT = 0xffe1;
const ALT = 0xffe9;
// No hand is quicker, and a browser has to draw between two of its steps.
const PAUSE = 30;

/**
 * A virtual screen, whose mouse and keyboard are controlled from here. What a driver sends to a
 * document goes to that document; only input of the screen's own finds its way as a user's does.
 */
export class XScreen {
  readonly display: string;
  readonly #process: BrowserProcess;
  readonly #socket: Socket;
  #root = 0;
  #extension = 0;
  #firstKey = 0;
  /** For each key what it writes without and with Shift, as the protocol numbers characters. */
  #keys: number[][] = [];

  private constructor(display: string, screen: BrowserProcess, socket: Socket) {
    this.display = display;
    this.#process = screen;
    this.#socket = socket;
  }

  static async open(): Promise<XScreen> {
    const server = startProcess(
      "Xvfb",
      ["-displayfd", "3", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"],
      { stdio: ["ignore", "ignore", "ignore", "pipe"] },
    );
    try {
      const number = await server.says(/(\d+)\n/, 3);
      const socket = connect(`/tmp/.X11-unix/X${number}`);
      await once(socket, "connect");
      const screen = new XScreen(`:${number}`, server, socket);
      await screen.#greet();
      // Other messages of the server are ignored.
      socket.resume();
      return screen;
    } catch (error) {
      await server.end();
      throw error;
    }
  }

  async move(x: number, y: number): Promise<void> {
    await this.#fake(MOTION, 0, Math.round(x), Math.round(y));
  }

  /** A click of the left button, where the mouse is, with a key held down if one is named. */
  async press(modifier?: "Alt"): Promise<void> {
    const held = modifier && this.#keyOf(ALT);
    if (held) await this.#fake(KEY_PRESS, held);
    await this.#fake(BUTTON_PRESS, 1);
    await this.#fake(BUTTON_PRESS + 1, 1);
    if (held) await this.#fake(KEY_PRESS + 1, held);
  }

  /** One character, to whatever has the focus. */
  async key(character: string): Promise<void> {
    const sign = character.codePointAt(0) ?? 0;
    const key = this.#keyOf(sign);
    const shift = this.#keys[key - this.#firstKey]?.[0] === sign ? [] : [this.#keyOf(SHIFT)];
    for (const held of [...shift, key]) await this.#fake(KEY_PRESS, held);
    for (const held of [key, ...shift]) await this.#fake(KEY_PRESS + 1, held);
  }

  async close(): Promise<void> {
    this.#socket.destroy();
    await this.#process.end();
  }

  #keyOf(sign: number): number {
    const at = this.#keys.findIndex((signs) => signs.slice(0, 2).includes(sign));
    if (at < 0) throw new Error(`The keyboard has no key for character ${sign}.`);
    return at + this.#firstKey;
  }

  async #greet(): Promise<void> {
    // "l": numbers begin with their smallest byte; then version 11.0 and no password.
    this.#socket.write(Buffer.from([0x6c, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
    const setup = await this.#read();
    if (setup[0] !== 1) throw new Error("Xvfb refuses the connection.");
    const vendor = setup.readUInt16LE(24);
    const formats = setup.readUInt8(29);
    this.#firstKey = setup.readUInt8(34);
    const count = setup.readUInt8(35) - this.#firstKey + 1;
    this.#root = setup.readUInt32LE(40 + Math.ceil(vendor / 4) * 4 + formats * 8);

    const name = Buffer.from("XTEST\0\0\0");
    const query = Buffer.from([QUERY_EXTENSION, 0, 4, 0, 5, 0, 0, 0]);
    this.#socket.write(Buffer.concat([query, name]));
    this.#extension = (await this.#read()).readUInt8(9);

    this.#socket.write(Buffer.from([GET_KEYBOARD_MAPPING, 0, 2, 0, this.#firstKey, count, 0, 0]));
    const mapping = await this.#read();
    const width = mapping.readUInt8(1);
    this.#keys = Array.from({ length: count }, (_, key) =>
      Array.from({ length: width }, (_, at) => mapping.readUInt32LE(32 + 4 * (key * width + at))),
    );
  }

  /** One response: its head has the length of the rest. The very first has a shorter head. */
  async #read(): Promise<Buffer> {
    const isSetup = this.#root === 0;
    const head = await this.#take(isSetup ? 8 : 32);
    const rest = 4 * (isSetup ? head.readUInt16LE(6) : head.readUInt32LE(4));
    return rest ? Buffer.concat([head, await this.#take(rest)]) : head;
  }

  async #take(size: number): Promise<Buffer> {
    for (;;) {
      const found = this.#socket.read(size) as Buffer | null;
      if (found) return found;
      await once(this.#socket, "readable", { signal: AbortSignal.timeout(10_000) });
    }
  }

  async #fake(type: number, detail: number, x = 0, y = 0): Promise<void> {
    const request = Buffer.alloc(36);
    request.writeUInt8(this.#extension, 0);
    request.writeUInt8(FAKE_INPUT, 1);
    request.writeUInt16LE(9, 2);
    request.writeUInt8(type, 4);
    request.writeUInt8(detail, 5);
    request.writeUInt32LE(this.#root, 12);
    request.writeInt16LE(x, 24);
    request.writeInt16LE(y, 26);
    this.#socket.write(request);
    await sleep(PAUSE);
  }
}
