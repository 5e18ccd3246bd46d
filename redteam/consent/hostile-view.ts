import { hostedView } from "../stage/host-view.ts";

/**
 * A view that asks, withdraws, resizes, takes the focus and opens frames at random times. Each
 * notification `redteam/now` starts a sequence; it says where random numbers start and how requests are
 * named.
 */
export function hostileView(): string {
  return hostedView(async () => {
    let state = 0;
    let name = "";
    // Not `createRandom`: only this function is sent to the view.
    const random = (limit: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return Math.floor(((state >>> 8) / 2 ** 24) * limit);
    };
    // The handshake is request 1.
    let last = 1;
    let open: number[] = [];
    const request = (method: string, params: object): void => {
      last += 1;
      const id = last;
      open.push(id);
      void ask(method, params).then(() => {
        open = open.filter((one) => one !== id);
      });
    };
    const pay = (): void => {
      const length = random(6) === 0 ? 40 + random(60) : random(4);
      const lines = Array.from({ length }, (_, line) => [`line${line}`, "ok"]);
      const args = { id: `${name}-${last}`, ...Object.fromEntries(lines), amount: random(10_000) };
      if (open.length < 4) request("tools/call", { name: "pay", arguments: args });
    };
    const withdraw = (): void => {
      const requestId = open[random(open.length)];
      if (requestId) tell("notifications/cancelled", { requestId });
    };
    const switchMode = (): void => {
      const mode = ["inline", "fullscreen", "pip"][random(3)];
      request("ui/request-display-mode", { mode });
    };
    const resize = (): void =>
      tell("ui/notifications/size-changed", { width: 300, height: 60 + random(400) });
    const addLayer = (): void => {
      document.body.replaceChildren();
      const frame = document.body.appendChild(document.createElement("iframe"));
      frame.srcdoc = "<input autofocus>";
      const layer = document.body.appendChild(document.createElement("div"));
      layer.popover = "manual";
      layer.showPopover();
    };
    const steal = (): void => window.focus();
    const acts = [pay, pay, pay, withdraw, resize, resize, switchMode, addLayer, steal];
    addEventListener("pointerdown", pay);
    addEventListener("message", async ({ source, data }) => {
      if (source !== parent || data.method !== "redteam/now") return;
      for (const requestId of open) tell("notifications/cancelled", { requestId });
      ({ seed: state, name } = data.params);
      const own = name;
      pay();
      for (let step = 0; step < 8 && own === name; step += 1) {
        await new Promise((resolve) => setTimeout(resolve, 100 + random(600)));
        if (own === name) acts[random(acts.length)]?.();
      }
    });
    await greet();
  });
}
