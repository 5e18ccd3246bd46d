// A sandbox page in the manner of the official example: one origin for itself and its Views, the
// View written into a frame of that origin, messages passed on by window message. Like the example
// it takes `buildAllowAttribute` from the bridge, which brings most of the bridge along.

import { buildAllowAttribute } from "ext-apps-v2/app-bridge";
import { PROXY_READY, RESOURCE_READY } from "./sandbox-methods.ts";

const host = new URL(document.referrer).origin;
const frame = document.createElement("iframe");
frame.setAttribute("style", "width:100%; height:100%; border:none;");
frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
document.body.append(frame);

function show({ html, permissions }: { html: string; permissions?: object }): void {
  const allow = buildAllowAttribute(permissions);
  if (allow) frame.setAttribute("allow", allow);
  const view = frame.contentDocument as Document;
  view.open();
  view.write(html);
  view.close();
}

addEventListener("message", (event) => {
  if (event.source === parent) {
    if (event.origin !== host) return;
    if (event.data.method === RESOURCE_READY) show(event.data.params);
    else frame.contentWindow?.postMessage(event.data, "*");
  } else if (event.source === frame.contentWindow && event.origin === location.origin) {
    parent.postMessage(event.data, host);
  }
});

parent.postMessage({ jsonrpc: "2.0", method: PROXY_READY, params: {} }, host);
