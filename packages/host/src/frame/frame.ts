// The Host's frame around a relay page, from its first byte to the port that the page hands over. Any
// window can post to ours, so nothing is read before it is known to come from that frame and that
// origin; and after the port is taken nothing is read at all.

import { LocalError } from "@vitrine/protocol";
import {
  SANDBOX_PROXY_READY_METHOD,
  SANDBOX_RESOURCE_READY_METHOD,
} from "@vitrine/protocol/apps/discovery";
import type { ViewChannel } from "../bridge/view-channel.ts";
import { type News, openPortLink, type PortLink, type RegistrationFacts } from "./port-link.ts";

/** Whose View it is; each identity has an origin of its own. */
export interface FrameIdentity {
  server: string;
  resource: string;
  tenant?: string | undefined;
  user?: string | undefined;
}

/** What the Host's server side registers with the Sandbox. */
export interface ViewToRegister extends FrameIdentity {
  html: string;
  /** `_meta.ui` of the resource, as the Server sent it. */
  meta: unknown;
  /** Origin of the page that will embed it. */
  host: string;
  hold: boolean;
}

/** What the Sandbox's `register` answers, as far as a frame needs it. */
export interface RegisteredViewLike extends RegistrationFacts {
  proxyUrl: string;
  /** `"null"` where host and Sandbox share a domain. */
  proxyOrigin: string;
  allow: string;
}

/** Where Views live: the address of the Sandbox's entrance, or a way to register them. */
export type SandboxAddress =
  | string
  | {
      register(view: ViewToRegister): Promise<RegisteredViewLike>;
      /** Address of the Sandbox, for what is asked of it besides Views. */
      entrance?: string;
    };

/** How a frame is opened. */
export interface FrameOptions {
  sandbox: SandboxAddress;
  resource: { html: string; meta: unknown };
  identity: FrameIdentity;
  /** Loads all but the View; `mount` does the rest. */
  hold?: boolean | undefined;
  /** Replaces the features that the View asked for, or was granted at its registration. */
  allow?: string | undefined;
  /** Name of the frame for those who hear the page; the Server's by default. */
  title?: string | undefined;
  timeouts?: { sandbox?: number | undefined } | undefined;
}

/** Why a frame has no channel. */
export type FrameErrorCode = "sandbox-timeout" | "sandbox-refused" | "closed";

/** A View's frame. */
export interface Frame {
  readonly element: HTMLIFrameElement;
  readonly channel: Promise<ViewChannel>;
  readonly registered: Promise<RegistrationFacts>;
  /** Resolved when a held frame has all but the View. */
  readonly held: Promise<void>;
  /** Loads a View that is held; else does nothing. */
  mount(): void;
  /** Whether the user has just acted inside; nothing where the relay does not answer at once. */
  isUserActive(): Promise<boolean | undefined>;
  onNews(listener: (news: News) => void): () => void;
  /** Idempotent. */
  close(): void;
}

/** Flags of the outer frame (HST-23); the View's own are the Sandbox's to choose. */
const OUTER_SANDBOX = "allow-scripts allow-same-origin allow-forms";

const PERMISSIONS = ["camera", "microphone", "geolocation", "clipboardWrite"];
const SANDBOX_TIME = 15_000;
// The relay speaks before its page has loaded, so one that is loaded and silent is another page.
const SILENCE = 3000;
const ANSWER_TIME = 150;

interface Deferred<Value> {
  promise: Promise<Value>;
  resolve(value: Value): void;
  reject(reason: unknown): void;
}

/** Opens a frame in an element, which should be in a closed shadow root. */
export function openFrame(parent: ParentNode, options: FrameOptions): Frame {
  const { sandbox, resource, identity, hold = false, title = identity.server } = options;
  const { html, meta } = resource;
  const { csp, permissions } = Object(meta);
  const element = document.createElement("iframe");
  const channel = defer<ViewChannel>();
  const registered = defer<RegistrationFacts>();
  const held = defer<void>();
  const listeners = new Set<(news: News) => void>();
  const questions: ((isActive: boolean) => void)[] = [];
  let origin = "";
  let link: PortLink | undefined;
  let isHeard = false;
  let isHandedOver = false;
  let isOver = false;
  let loads = 0;

  const fail = (code: FrameErrorCode, cause: unknown = origin): void => {
    removeEventListener("message", receive);
    clearTimeout(timer);
    isOver = true;
    const error = Object.assign(new LocalError(code, origin || identity.server), { cause });
    for (const { reject } of [channel, registered, held]) reject(error);
  };
  const timer = setTimeout(fail, options.timeouts?.sandbox ?? SANDBOX_TIME, "sandbox-timeout");

  const hear = (news: News): void => {
    const { registered: facts, held: isHeld, activity } = Object(news);
    if (facts) registered.resolve(facts);
    if (isHeld) held.resolve();
    if (activity !== undefined) questions.shift()?.(activity === true);
    for (const listener of listeners) listener(news);
  };

  const receive = (event: MessageEvent): void => {
    const { source, ports } = event;
    // Before the data: to read it is what costs, and whoever else posts is not our partner.
    if (!source || source !== element.contentWindow || event.origin !== origin) return;
    const { vitrine, method, params } = Object(event.data);
    isHeard = true;
    if (vitrine === "port" && ports.length === 1) {
      // Whatever page may later stand in this frame has no port, and nobody listens to it.
      removeEventListener("message", receive);
      clearTimeout(timer);
      link = openPortLink(ports[0] as MessagePort, hear);
      channel.resolve(link.channel);
    } else if (method === SANDBOX_PROXY_READY_METHOD && !isHandedOver) {
      // Not before, since nobody would hear it, and not twice (HST-24).
      isHandedOver = true;
      const own = { csp, permissions, vitrine: { ...identity, hold } };
      const ready = {
        jsonrpc: "2.0",
        method: SANDBOX_RESOURCE_READY_METHOD,
        params: { html, ...own },
      };
      (source as Window).postMessage(ready, origin);
    } else if (method === "notifications/message" && params?.level === "error") {
      fail("sandbox-refused", params.data?.detail);
    }
  };

  const load = (src: string, from: string, allow: string): void => {
    if (isOver) return;
    origin = from;
    // On our own origin the relay could be told apart from us by nobody (HST-22).
    if (origin === location.origin) {
      fail("sandbox-refused", "same-origin");
      return;
    }
    element.setAttribute("sandbox", OUTER_SANDBOX);
    element.referrerPolicy = "origin";
    element.allow = options.allow ?? allow;
    element.title = title;
    element.src = src;
    element.onload = () => {
      // The first belongs to the page that gave us the port; after another the port has nobody left.
      if (link && ++loads > 1) {
        hear({ gone: true });
        link.close();
      }
      setTimeout(() => isHeard || fail("sandbox-refused", "silent"), SILENCE);
    };
    addEventListener("message", receive);
    parent.append(element);
  };

  const open = async (): Promise<void> => {
    if (typeof sandbox === "string") {
      const url = new URL(sandbox, document.baseURI);
      return load(url.href, url.origin, askedFeatures(permissions, url.origin));
    }
    // It has no entrance to ask for the View.
    isHandedOver = true;
    const view = { ...identity, html, meta, host: location.origin, hold };
    const facts = await sandbox.register(view);
    registered.resolve(facts);
    load(facts.proxyUrl, facts.proxyOrigin, facts.allow);
  };
  open().catch((error) => fail("sandbox-refused", error));

  return {
    element,
    channel: channel.promise,
    registered: registered.promise,
    held: held.promise,
    mount: () =>
      void channel.promise.then(
        () => link?.tell({ mount: true }),
        () => {},
      ),
    isUserActive: () =>
      new Promise((resolve) => {
        setTimeout(resolve, ANSWER_TIME);
        if (link) questions.push(resolve);
        link?.tell({ activity: true });
      }),
    onNews: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      fail("closed");
      link?.tell({ close: true });
      link?.close();
      // Not left to the relay, which may share its process with a View that never rests.
      element.remove();
    },
  };
}

/** The features that a View asks for and may have; the Sandbox decides which of them it gets. */
function askedFeatures(permissions: unknown, origin: string): string {
  return PERMISSIONS.filter((name) => Object.hasOwn(Object(permissions), name))
    .map((name) => `${name.replace("W", "-w")} ${origin}`)
    .join("; ");
}

function defer<Value>(): Deferred<Value> {
  const deferred = {} as Deferred<Value>;
  deferred.promise = new Promise((resolve, reject) => Object.assign(deferred, { resolve, reject }));
  // Who does not ask does not want to know.
  deferred.promise.catch(() => {});
  return deferred;
}
