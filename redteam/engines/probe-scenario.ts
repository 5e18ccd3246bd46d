import { unless } from "../checks/check.ts";
import type { Scenario } from "./engine-scene.ts";
import { watch } from "./patience.ts";

declare global {
  interface Window {
    /** What came from the frame of the probe. */
    probed?: { origin: string; data: unknown }[];
  }
}

/** Engines in which nothing leaves a view but what was declared; the others say that they are not. */
const STRICT: readonly string[] = ["chromium"];

/** In the host page: frames the probe and keeps what it says. */
function frameProbe(url: string): void {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
  const received: NonNullable<Window["probed"]> = [];
  window.probed = received;
  addEventListener("message", ({ source, origin, data }) => {
    if (source === frame.contentWindow) received.push({ origin, data });
  });
  frame.hidden = true;
  frame.src = url;
  document.body.append(frame);
}

export const PROBE_SCENARIO: Scenario = {
  id: "egress-probe",
  title: "the page at /egress tells a host whether this browser honours Connection-Allowlist",
  quick: true,
  async run(scene) {
    const { field, engine, notes } = scene;
    const proxy = field.sandbox.hostOrigin.replace("//app.", "//proxy.");
    const script = `(${frameProbe.toString()})(${JSON.stringify(`${proxy}/egress`)})`;
    const html = `<!doctype html><body><script>${script}</script>`;
    const page = await scene.openPage(field.serve("/egress-host", html));
    const read = () => page.evaluate(() => window.probed ?? [], null);
    const received = await watch(read, ({ length }) => length > 0, 6000);
    const { egress, why } = Object(received[0]?.data);
    notes.push(`${egress}: ${why}`);
    const wanted = STRICT.includes(engine.name) ? "strict" : "partial";
    return [
      ...unless(received.length === 1, `it sent ${received.length} times`),
      ...unless(received[0]?.origin === proxy, `from ${received[0]?.origin}`),
      ...unless(egress === wanted, `it says ${egress} and not ${wanted}: ${why}`),
    ];
  },
};
