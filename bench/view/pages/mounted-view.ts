import type { HostSession } from "./host-session.ts";
import { connectOfficialHost } from "./official-host.ts";
import { listen, nextMessage } from "./probe-link.ts";
import { connectRawHost } from "./raw-host.ts";

/** A View on a Host, as `rounds.mjs` names them. */
export interface Variant {
  name: string;
  host: "raw" | "official";
  /** Where the View's document is. */
  page: string;
}

/** A View that has shown its result. */
export interface MountedView {
  name: string;
  frame: HTMLIFrameElement;
  session: HostSession;
  /** Between the marks around an empty script, ms: the cost of measuring the next. */
  empty: number;
  /** Between the marks around the View's script, ms. */
  script: number;
  /** From the insertion of the frame until the result was shown, ms. */
  insert: number;
}

const RESOURCE_READY = "ui/notifications/sandbox-resource-ready";

/** Inserts the relay's frame, gives it the View, and waits for the result to show. */
export async function mountView(
  { name, host }: Variant,
  relay: string,
  html: string,
): Promise<MountedView> {
  const { origin } = new URL(relay);
  const frame = document.createElement("iframe");
  frame.src = relay;
  const start = performance.now();
  document.body.append(frame);
  const sandbox = frame.contentWindow as Window;
  const session = host === "raw" ? connectRawHost(sandbox, origin) : connectOfficialHost(sandbox);
  const shown = listen(frame, "shown");
  await nextMessage("the relay", (event) => event.source === sandbox);
  sandbox.postMessage({ jsonrpc: "2.0", method: RESOURCE_READY, params: { html } }, origin);
  const { empty, script } = await shown;
  const insert = performance.now() - start;
  session.listen(false);
  return { name, frame, session, empty, script, insert };
}

export function unmountView({ frame, session }: MountedView): void {
  session.close();
  frame.remove();
}
