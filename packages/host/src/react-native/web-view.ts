// Shows a view in a React Native app, which has no DOM. A WebView shows a small page, and the view is in
// a frame of the sandbox below it, with all its protection. Nothing here imports React Native.

import { LocalError } from "@vitrine/protocol";
import type { ViewChannel } from "../bridge/view-channel.ts";
import type { RegistrationFacts, RelayEvent } from "../frame/port-link.ts";
import {
  credentialFor,
  type FrameIdentity,
  type SandboxAddress,
} from "../frame/sandbox-address.ts";
import type { FromApp, FromPage } from "./web-view-messages.ts";
import { WEB_VIEW_SCRIPT } from "./web-view-script.ts";

/** What a WebView shows. */
export interface WebViewOptions {
  sandbox: SandboxAddress;
  /** The result of `readUiResource`. */
  resource: { html: string; meta: unknown };
  identity: FrameIdentity;
  /** The origin of the WebView's page, such as `https://app.chat.example`: one of the sandbox's `hosts`. */
  origin: string;
  /** Accessible name of the frame; the server's name by default. */
  title?: string;
  /** `(code) => ref.current?.injectJavaScript(code)` */
  inject(code: string): void;
}

/** A view in a WebView. */
export interface WebViewConnection {
  /** For the property `source` of the WebView. */
  readonly source: { html: string; baseUrl: string };
  /** For `AppBridge.connect`. Rejects with a `DiagnosticCode` as `code` if the view can't be loaded. */
  readonly channel: Promise<ViewChannel>;
  /** What the sandbox granted; `grant` is for `bridge.sandbox`. */
  readonly registered: Promise<RegistrationFacts>;
  /** For the property `onMessage` of the WebView. */
  readonly onMessage: (event: { nativeEvent: { data: string } }) => void;
  /** For the property `onShouldStartLoadWithRequest`: the page itself never goes anywhere. */
  readonly allows: (request: { url: string; isTopFrame?: boolean }) => boolean;
  /** Calls `listener` when the sandbox stops the view, or its policy blocks something. */
  onRelayEvent(listener: (event: RelayEvent) => void): () => void;
  /** Idempotent. */
  close(): void;
}

// A download may have four million characters, which JSON can write as six each.
const LONGEST = 2 ** 25;

/** Connects to a view in a WebView. */
export function openWebView(options: WebViewOptions): WebViewConnection {
  const { sandbox, resource, identity, origin, title, inject } = options;
  const secret = randomText();
  const listeners = new Set<(event: RelayEvent) => void>();
  const channel = defer<ViewChannel>();
  const registered = defer<RegistrationFacts>();
  let early: (() => void)[] | undefined = [];
  let isActive = false;
  let isOpened = false;
  let isClosed = false;

  // Two layers: the value as JSON, and that text as a literal of the program.
  const tell = (message: Partial<FromApp>): void =>
    inject(`window.vitrineReceive(${JSON.stringify(JSON.stringify(message))});true;`);

  const fail = (code: string, detail: string): void => {
    const error = Object.assign(new LocalError(code, detail), { cause: detail });
    for (const { reject } of [channel, registered]) reject(error);
  };

  const open = async (): Promise<void> => {
    const view = { resource, identity, title };
    if (typeof sandbox !== "string" && "register" in sandbox) {
      const facts = await sandbox.register({
        ...{ ...identity, ...resource },
        ...{ host: origin, hold: false },
      });
      return tell({ open: { ...view, sandbox: facts.proxyUrl, registered: facts } });
    }
    const entrance = new URL(typeof sandbox === "string" ? sandbox : sandbox.entrance);
    const credential = await credentialFor(entrance, { sandbox, identity });
    tell({ open: { ...view, sandbox: entrance.href, credential } });
  };

  const finish = (): void => {
    if (isClosed) return;
    isClosed = true;
    fail("closed", identity.server);
    own.onclose?.();
  };

  const own: ViewChannel = {
    get userActive() {
      return isActive;
    },
    start: () => {
      const waiting = early ?? [];
      early = undefined;
      for (const deliver of waiting) deliver();
    },
    send: (message) => {
      if (isClosed) throw new LocalError("closed", identity.server);
      tell({ message });
    },
    close: () => connection.close(),
  };

  const deliver = (message: unknown, active: boolean): void => {
    isActive = active;
    try {
      own.onmessage?.(message);
    } finally {
      // The gesture of one message must not count for another.
      isActive = false;
    }
  };

  const handlers: Record<string, (value: never, message: { isActive?: unknown }) => void> = {
    ready: () => {
      // Once: a page that is loaded into the WebView later must not get the view's data.
      if (isOpened) return;
      isOpened = true;
      open().catch((error) => fail("sandbox-refused", `${(error as Error).message}`));
    },
    registered: (facts: RegistrationFacts) => registered.resolve(facts),
    connected: () => channel.resolve(own),
    failed: ({ code, detail }: { code: string; detail: string }) => fail(code, detail),
    event: (event: RelayEvent) => {
      for (const listener of listeners) listener(event);
    },
    message: (message: unknown, { isActive: active }) => {
      const run = (): void => deliver(message, active === true);
      if (early) early.push(run);
      else run();
    },
    closed: finish,
  };

  const connection: WebViewConnection = {
    source: { html: writePage(secret, sandboxOf(sandbox)), baseUrl: origin },
    channel: channel.promise,
    registered: registered.promise,
    onMessage: ({ nativeEvent: { data } }) => {
      if (isClosed || typeof data !== "string" || data.length > LONGEST) return;
      const message = Object(readJson(data)) as FromPage & { secret?: unknown };
      // Everything in the WebView can post to the app, views included.
      if (message.secret !== secret) return;
      for (const [name, value] of Object.entries(message)) {
        if (Object.hasOwn(handlers, name)) handlers[name]?.(value as never, message as never);
      }
    },
    allows: ({ url, isTopFrame = true }) =>
      !isTopFrame || url === "about:blank" || url === origin || url === `${origin}/`,
    onRelayEvent: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      if (isClosed) return;
      tell({ close: true });
      finish();
    },
  };
  return connection;
}

/** The address that the page may frame; a registration names it later. */
function sandboxOf(sandbox: SandboxAddress): string {
  const entrance = typeof sandbox === "string" ? sandbox : sandbox.entrance;
  return entrance === undefined ? "https:" : new URL(entrance).origin;
}

function writePage(secret: string, frames: string): string {
  const nonce = randomText();
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; frame-src ${frames}; base-uri 'none'; form-action 'none'`;
  const style =
    "html,body{margin:0;block-size:100%}iframe{border:0;inline-size:100%;block-size:100%;display:block}";
  return `<!doctype html><html lang="en" data-vitrine='${JSON.stringify({ secret })}'><head><meta charset="utf-8"><meta http-equiv="content-security-policy" content="${policy}"><meta name="viewport" content="width=device-width"><title>App</title><style nonce="${nonce}">${style}</style></head><body><script nonce="${nonce}">${WEB_VIEW_SCRIPT}</script></body></html>`;
}

function randomText(): string {
  if (!globalThis.crypto?.getRandomValues) {
    throw new TypeError(
      "openWebView needs crypto.getRandomValues. Import react-native-get-random-values first.",
    );
  }
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Deferred<Value> {
  promise: Promise<Value>;
  resolve(value: Value): void;
  reject(reason: unknown): void;
}

function defer<Value>(): Deferred<Value> {
  const deferred = {} as Deferred<Value>;
  deferred.promise = new Promise((resolve, reject) => Object.assign(deferred, { resolve, reject }));
  // The caller may need only one of the two.
  deferred.promise.catch(() => {});
  return deferred;
}
