import { nextMessage } from "../../view/pages/probe-link.ts";
import { PROXY_READY } from "./sandbox-methods.ts";

/** Inserts a sandbox's frame with the flags that the specification wants. */
export function insertFrame(container: HTMLElement, url: string): HTMLIFrameElement {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
  frame.src = url;
  container.append(frame);
  return frame;
}

/** Resolves when the sandbox's page can take the View. */
export function untilReady({ contentWindow }: HTMLIFrameElement): Promise<unknown> {
  return nextMessage(
    "the sandbox",
    (event) => event.source === contentWindow && event.data.method === PROXY_READY,
  );
}
