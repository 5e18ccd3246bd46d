const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
const PRESS = [
  { type: "pointerDown", button: 0 },
  { type: "pointerUp", button: 0 },
];

// The protocol's code for the left Alt key.
const ALT = "\uE00A";

/** A reference to an element, as the protocol writes it. */
export type ElementReference = Record<typeof ELEMENT, string>;

/** The few commands of W3C WebDriver that are needed, over plain HTTP. */
export class WebDriverSession {
  readonly #address: string;
  readonly version: string;

  private constructor(address: string, version: string) {
    this.#address = address;
    this.version = version;
  }

  static async open(driver: string, wanted: Record<string, unknown>): Promise<WebDriverSession> {
    const body = { capabilities: { alwaysMatch: wanted } };
    const answer = await command("POST", `${driver}/session`, body);
    const { sessionId, capabilities } = answer as {
      sessionId: string;
      capabilities: { browserVersion: string };
    };
    return new WebDriverSession(`${driver}/session/${sessionId}`, capabilities.browserVersion);
  }

  async execute(script: string, parameters: readonly unknown[]): Promise<unknown> {
    return this.#post("/execute/sync", { script, args: parameters });
  }

  async go(url: string): Promise<void> {
    await this.#post("/url", { url });
  }

  async windows(): Promise<string[]> {
    return (await this.#get("/window/handles")) as string[];
  }

  async focus(handle: string): Promise<void> {
    await this.#post("/window", { handle });
  }

  async closeWindow(): Promise<void> {
    await command("DELETE", `${this.#address}/window`);
  }

  /** Later commands apply to this frame, or to the top document if there is none. */
  async enter(frame: ElementReference | null): Promise<void> {
    await this.#post("/frame", { id: frame });
  }

  async click(x: number, y: number): Promise<void> {
    await this.#point([moveTo(x, y), ...PRESS]);
  }

  async move(x: number, y: number): Promise<void> {
    await this.#point([moveTo(x, y)]);
  }

  /** A click where the mouse is, with a key held down if one is named. */
  async press(modifier?: "Alt"): Promise<void> {
    if (modifier) await this.#keyboard(ALT, "keyDown");
    await this.#point(PRESS);
    if (modifier) await this.#keyboard(ALT, "keyUp");
  }

  async key(value: string): Promise<void> {
    await this.#keyboard(value, "keyDown", "keyUp");
  }

  async end(): Promise<void> {
    await command("DELETE", this.#address);
  }

  /** The driver keeps the state of keys from one command to the next. */
  async #keyboard(value: string, ...types: ("keyDown" | "keyUp")[]): Promise<void> {
    const actions = types.map((type) => ({ type, value }));
    await this.#post("/actions", { actions: [{ type: "key", id: "keyboard", actions }] });
  }

  async #point(actions: readonly object[]): Promise<void> {
    const mouse = { type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions };
    await this.#post("/actions", { actions: [mouse] });
  }

  #get(path: string): Promise<unknown> {
    return command("GET", this.#address + path);
  }

  #post(path: string, body: object): Promise<unknown> {
    return command("POST", this.#address + path, body);
  }
}

function moveTo(x: number, y: number): object {
  const [left, top] = [Math.round(x), Math.round(y)];
  return { type: "pointerMove", duration: 0, x: left, y: top, origin: "viewport" };
}

async function command(method: string, url: string, body?: object): Promise<unknown> {
  const answer = await fetch(url, {
    method,
    signal: AbortSignal.timeout(30_000),
    ...(body && { body: JSON.stringify(body) }),
  });
  const { value } = (await answer.json()) as { value: unknown };
  if (answer.ok) return value;
  const { error, message } = value as { error: string; message: string };
  throw new Error(`${method} ${new URL(url).pathname}: ${error}: ${message}`);
}
