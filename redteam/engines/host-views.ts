import { type HostDriver, viewOn } from "./host-driver.ts";

const FIELD = `<style>body{margin:0}input{display:block;width:300px;height:30px}</style><input>`;
const BUTTONS = `<style>body{margin:0}button{display:block;width:200px;height:50px}</style><button>look</button><button>write</button><button>later</button>`;

/** Where things are in these Views. */
export const AT = {
  field: { x: 60, y: 15 },
  look: { x: 100, y: 25 },
  write: { x: 100, y: 75 },
  later: { x: 100, y: 125 },
};

/** What these Views say. */
export interface Told {
  readonly clicked?: string;
  readonly answer?: unknown;
  readonly refused?: string;
  readonly mode?: string;
  readonly mark?: number;
  readonly value?: string;
}

/** A View whose buttons call a tool: each the one of its name, the last after a while. */
export function callerView(): Promise<string> {
  return viewOn((app, say) => {
    const call = (name: string): void => {
      app.callServerTool({ name, arguments: { city: "Oslo" } }).then(
        ({ content }) => say({ answer: content }),
        ({ message }) => say({ refused: message }),
      );
    };
    const press = ({ target, isTrusted }: Event): void => {
      const name = (target as HTMLElement).textContent ?? "";
      say({ clicked: isTrusted ? name : "by script" });
      if (name === "later") setTimeout(call, 1500, "write");
      else call(name);
    };
    for (const button of document.querySelectorAll("button")) button.onclick = press;
  }, BUTTONS);
}

/** Clicks on a button of that View, until it is on the screen and takes the click. */
export async function press(
  hostDriver: HostDriver,
  button: "look" | "write" | "later",
): Promise<void> {
  const before = (await hostDriver.said<Told>("caller")).length;
  const isHit = (all: readonly Told[]) => all.slice(before).some(({ clicked }) => clicked);
  for (let round = 0; round < 6; round += 1) {
    await hostDriver.user.click(await hostDriver.settled("iframe"), AT[button]);
    if (isHit(await hostDriver.said<Told>("caller", isHit, 1500))) return;
  }
  throw new Error("The View takes no click.");
}

/** A View with a field, of which it tells. */
export function writerView(): Promise<string> {
  return viewOn((app, say) => {
    const mark = Math.random();
    const field = document.querySelector("input") as HTMLInputElement;
    const tell = () => say({ mark, mode: app.getHostContext()?.displayMode, value: field.value });
    field.oninput = tell;
    app.onhostcontextchanged = tell;
  }, FIELD);
}

/** A View that takes the focus three times a second, from the window down to its field. */
export function thiefView(): Promise<string> {
  return viewOn((_app, say) => {
    const field = document.querySelector("input") as HTMLInputElement;
    field.oninput = () => say({ value: field.value });
    const steal = () => {
      window.focus();
      field.focus();
    };
    setInterval(steal, 300);
  }, FIELD);
}

export function same(found: unknown, wanted: unknown): boolean {
  return JSON.stringify(found) === JSON.stringify(wanted);
}

export function inWords(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}
