// Observes messages between host and view, and changes them if a fault or a profile requires it. The
// host has no interface for that and needs none: this page is only a tool, and owns the relay's
// ports. So `MessagePort` is wrapped before the host uses the first.

import { storyProfile, withoutMark } from "./story-traffic.ts";

/** One message between Host and View. */
export interface TappedMessage {
  /** Milliseconds since 1970, with fractions. */
  at: number;
  from: "view" | "host";
  /** Which load of a document, from 1. */
  view: number;
  message: unknown;
  /** Characters of JSON. */
  size: number;
}

/** Changes to messages on their way. */
export interface TapRules {
  /** Replaces a message to the view. */
  rewrite(message: JsonObject): JsonObject;
  /** An error response to a view's request, so that the host never receives it. */
  refuse(method: string): { code: number; message: string } | undefined;
}

/** Any JSON object. */
export type JsonObject = Record<string, unknown>;

/** The interface. */
export interface TrafficTap {
  rules: TapRules;
  /** The rules of a story's host; its messages have no listeners. */
  storyRules(profile: string): TapRules;
  onMessage(listener: (message: TappedMessage) => void): () => void;
  /** Continues from here: a page that was reloaded has had views before. */
  countFrom(lives: number): void;
  /** Sends a message to the newest view in place of its host. */
  inject(message: JsonObject): void;
}

// Milliseconds until a port without a message of its host counts as the view's.
const UNDECIDED = 1_000;
const PLAIN: TapRules = { rewrite: (message) => message, refuse: () => undefined };

interface Envelope {
  text?: unknown;
}

/** Wraps the ports of this page; once. */
export function installTap(): TrafficTap {
  const listeners = new Set<(message: TappedMessage) => void>();
  const views = new WeakMap<MessagePort, number>();
  const asked = new WeakMap<MessagePort, Map<unknown, string>>();
  let newest: MessagePort | undefined;
  let lives = 0;
  const { prototype } = MessagePort;
  const post = prototype.postMessage;
  const handler = Object.getOwnPropertyDescriptor(
    prototype,
    "onmessage",
  ) as Required<PropertyDescriptor>;

  const requestsOf = (port: MessagePort): Map<unknown, string> => {
    const known = asked.get(port) ?? new Map<unknown, string>();
    asked.set(port, known);
    return known;
  };
  const viewOf = (port: MessagePort): number => {
    const known = views.get(port);
    if (known !== undefined) return known;
    views.set(port, ++lives);
    newest = port;
    return lives;
  };
  /** Messages of ports that may turn out to belong to a story. */
  const early = new Map<MessagePort, Omit<TappedMessage, "view">[]>();
  const stories = new WeakMap<MessagePort, TapRules>();
  const rulesOf = (port: MessagePort): TapRules => stories.get(port) ?? tap.rules;
  const settle = (port: MessagePort): void => {
    const waiting = early.get(port) ?? [];
    early.delete(port);
    if (stories.has(port)) return;
    const view = viewOf(port);
    for (const each of waiting) for (const listener of [...listeners]) listener({ ...each, view });
  };
  const tell = (port: MessagePort, from: "view" | "host", message: unknown, size: number): void => {
    if (stories.has(port)) return;
    const at = performance.timeOrigin + performance.now();
    const waiting = early.get(port) ?? (views.has(port) ? undefined : []);
    if (waiting) {
      waiting.push({ at, from, message, size });
      if (!early.has(port)) setTimeout(settle, UNDECIDED, port);
      early.set(port, waiting);
      return;
    }
    for (const listener of [...listeners])
      listener({ at, from, view: viewOf(port), message, size });
  };
  const send = (port: MessagePort, message: JsonObject): void => {
    const text = JSON.stringify(message);
    tell(port, "host", message, text.length);
    post.call(port, { text });
  };

  /** Whether the message may go on to the host. */
  const admit = (port: MessagePort, { text }: Envelope): boolean => {
    const message = parse(text);
    if (!message) return true;
    tell(port, "view", message, (text as string).length);
    const { id, method } = message;
    if (typeof method !== "string") return true;
    if (id !== undefined) requestsOf(port).set(id, method);
    const error = rulesOf(port).refuse(method);
    if (!error) return true;
    if (id !== undefined) send(port, { jsonrpc: "2.0", id, error });
    return false;
  };

  prototype.postMessage = function (this: MessagePort, data: Envelope, ...rest: unknown[]): void {
    const message = parse(data?.text);
    if (message) {
      const method = message.method ?? requestsOf(this).get(message.id);
      const profile = storyProfile(message);
      if (profile !== undefined) stories.set(this, tap.storyRules(profile));
      settle(this);
      const plain = profile === undefined ? message : withoutMark(message);
      // The method of the request is given, so that a rule need not remember ids.
      send(this, withoutName(rulesOf(this).rewrite({ ...plain, [ANSWERED]: method })));
    } else post.call(this, data, ...(rest as []));
  } as typeof post;
  Object.defineProperty(prototype, "onmessage", {
    ...handler,
    set(this: MessagePort, listener: ((event: MessageEvent) => void) | null) {
      handler.set.call(
        this,
        listener &&
          ((event: MessageEvent) => {
            if (admit(this, Object(event.data))) listener.call(this, event);
          }),
      );
    },
  });

  const tap: TrafficTap = {
    rules: PLAIN,
    storyRules: () => PLAIN,
    onMessage: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    countFrom: (count) => {
      lives = Math.max(lives, count);
    },
    inject: (message) => {
      if (newest) send(newest, { jsonrpc: "2.0", ...message });
    },
  };
  return tap;
}

/** The key under which a rule finds the method of a response. */
export const ANSWERED = "vitrine:answered";

function withoutName({ [ANSWERED]: _, ...message }: JsonObject): JsonObject {
  return message;
}

function parse(text: unknown): JsonObject | undefined {
  // Other ports of the page, such as those of React's scheduler, carry no text.
  if (typeof text !== "string") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
