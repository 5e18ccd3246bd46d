// The program of the page in a React Native WebView, bundled into `web-view-script.ts`. The page is the
// app's own; the view is in a frame of the sandbox below it, as in a browser. It passes messages between
// the view's channel and the app.

import { type Frame, openFrame } from "../frame/frame.ts";
import type { FromApp, FromPage } from "./web-view-messages.ts";

declare global {
  interface Window {
    ReactNativeWebView: { postMessage(text: string): void };
    /** Called by the app with `injectJavaScript`, which runs in this page and not in frames. */
    vitrineReceive(text: string): void;
  }
}

const { secret } = JSON.parse(document.documentElement.dataset.vitrine as string);
// A browser may show the app's object to every frame, so the app accepts only messages with the secret,
// which frames of another origin can't read.
const post = (message: FromPage): void =>
  window.ReactNativeWebView.postMessage(JSON.stringify({ secret, ...message }));
let frame: Frame | undefined;
let send: ((message: never) => unknown) | undefined;

async function open({ sandbox, registered, credential, ...view }: FromApp["open"]): Promise<void> {
  const address = registered
    ? { register: async () => registered }
    : credential === undefined
      ? sandbox
      : { entrance: sandbox, credential: () => credential };
  frame = openFrame(document.body, { ...view, sandbox: address });
  frame.onRelayEvent((event) => post({ event }));
  frame.registered.then(
    (facts) => post({ registered: facts }),
    // The channel fails as well.
    () => {},
  );
  try {
    const channel = await frame.channel;
    channel.onmessage = (message) => post({ message, isActive: channel.userActive === true });
    channel.onclose = () => post({ closed: true });
    send = (message) => channel.send(message);
    post({ connected: true });
    channel.start?.();
  } catch (error) {
    const { code, cause } = error as { code: string; cause?: unknown };
    post({ failed: { code, detail: `${(cause as Error | undefined)?.message ?? cause}` } });
  }
}

window.vitrineReceive = (text) => {
  const { open: view, message, close }: Partial<FromApp> = JSON.parse(text);
  if (view) void open(view);
  if (message) send?.(message as never);
  if (close) frame?.close();
};
post({ ready: true });
