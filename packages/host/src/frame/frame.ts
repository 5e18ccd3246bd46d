// The host's frame around a relay page, from the first byte to the port that the page sends. Any
// window can post to ours, so a message is read only if it comes from that frame and that origin, and
// none is read after the port has arrived.

import { LocalError } from "@vitrine/protocol";
import {
  SANDBOX_PROXY_READY_METHOD,
  SANDBOX_RESOURCE_READY_METHOD,
} from "@vitrine/protocol/apps/discovery";
import type { ViewChannel } from "../bridge/view-channel.ts";
import { plainName } from "../plain-name.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import {
  openPortLink,
  type PortLink,
  type RegistrationFacts,
  type RelayEvent,
} from "./port-link.ts";
import { credentialFor, type FrameIdentity, type SandboxAddress } from "./sandbox-address.ts";

/** How a frame is opened. */
export interface FrameOptions {
  sandbox: SandboxAddress;
  resource: { html: string; meta: unknown };
  identity: FrameIdentity;
  /** The upstream of the view's server, which may have credentials for the sandbox. */
  upstream?: Pick<Upstream, "sandboxCredential"> | undefined;
  /** Loads everything except the view; `mount` loads the view. */
  hold?: boolean | undefined;
  /** Replaces the features that the view requested or was granted at its registration. */
  allow?: string | undefined;
  /** Accessible name of the frame; the server's name by default. */
  title?: string | undefined;
  timeouts?: { sandbox?: number | undefined } | undefined;
}

/** Why a frame has no channel. */
export type FrameErrorCode =
  | "sandbox-timeout"
  | "sandbox-unreachable"
  | "sandbox-refused"
  | "host-refused"
  | "frame-blocked"
  | "frame-isolated"
  | "closed";

/** A view's frame. */
export interface Frame {
  readonly element: HTMLIFrameElement;
  readonly channel: Promise<ViewChannel>;
  readonly registered: Promise<RegistrationFacts>;
  /** Resolves when a held frame has loaded everything except the view. */
  readonly held: Promise<void>;
  /** Loads a view that is held; otherwise does nothing. */
  mount(): void;
  /** Whether the user has just acted inside; `undefined` if the relay doesn't answer at once. */
  isUserActive(): Promise<boolean | undefined>;
  onRelayEvent(listener: (event: RelayEvent) => void): () => void;
  /** Idempotent. */
  close(): void;
}

/** Flags of the outer frame (HST-23); the sandbox chooses those of the view. */
export const OUTER_SANDBOX = "allow-scripts allow-same-origin allow-forms";

const PERMISSIONS = ["camera", "microphone", "geolocation", "clipboardWrite"];
const SANDBOX_TIME = 15_000;
// Each page of the sandbox sends a message before it has loaded, so a page that loaded without one
// isn't the sandbox's.
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
  const { csp, permissions, domain } = Object(meta);
  const element = document.createElement("iframe");
  const channel = defer<ViewChannel>();
  const registered = defer<RegistrationFacts>();
  const held = defer<void>();
  const listeners = new Set<(event: RelayEvent) => void>();
  const questions: ((isActive: boolean) => void)[] = [];
  const listening = new AbortController();
  let origin = "";
  let credential: Promise<string | undefined> = Promise.resolve(undefined);
  let link: PortLink | undefined;
  let messages = 0;
  let isHandedOver = false;
  let isOver = false;
  let loads = 0;
  let portLoads = 0;

  const fail = (code: FrameErrorCode, cause: unknown = origin): void => {
    listening.abort();
    clearTimeout(timer);
    isOver = true;
    const error = Object.assign(new LocalError(code, origin || identity.server), { cause });
    for (const { reject } of [channel, registered, held]) reject(error);
  };
  /** Fails with `code` if the sandbox is there, or with the reason that it is silent. */
  const giveUp = async (code: FrameErrorCode): Promise<void> => {
    const reason = await import("./frame-silence.ts")
      .then(({ findSilenceReason }) => findSilenceReason(element.src, code))
      .catch(() => code);
    // It may have connected since.
    if (!link && !isOver) fail(reason);
  };
  const timer = setTimeout(giveUp, options.timeouts?.sandbox ?? SANDBOX_TIME, "sandbox-timeout");

  const readViolation = (event: SecurityPolicyViolationEvent): void => {
    const { disposition, effectiveDirective, blockedURI } = event;
    if (disposition !== "enforce" || !/^(?:frame|child)-src/.test(effectiveDirective)) return;
    // A browser may leave out the path; another frame of the sandbox fails for the same reason.
    if (blockedURI.startsWith(origin)) fail("frame-blocked");
  };

  const handleEvent = (event: RelayEvent): void => {
    const { registered: facts, held: isHeld, activity } = Object(event);
    if (facts) registered.resolve(facts);
    if (isHeld) held.resolve();
    if (activity !== undefined) questions.shift()?.(activity === true);
    for (const listener of listeners) listener(event);
  };

  const handOver = async (entrance: Window): Promise<void> => {
    const vitrine = { ...identity, hold, domain, credential: await credential };
    const method = SANDBOX_RESOURCE_READY_METHOD;
    const params = { html, csp, permissions, vitrine };
    entrance.postMessage({ jsonrpc: "2.0", method, params }, origin);
  };

  const receive = (event: MessageEvent): void => {
    const { source, ports } = event;
    // Checked before the data, because reading it is the slow part and other senders don't matter.
    if (!source || source !== element.contentWindow || event.origin !== origin) return;
    const { vitrine, method, params } = Object(event.data);
    messages++;
    if (vitrine === "port" && ports.length === 1) {
      // A page that is loaded into this frame later has no port, and its messages aren't read.
      listening.abort();
      clearTimeout(timer);
      link = openPortLink(ports[0] as MessagePort, handleEvent);
      channel.resolve(link.channel);
    } else if (method === SANDBOX_PROXY_READY_METHOD && !isHandedOver) {
      // Not before, because it would be lost, and not twice (HST-24).
      isHandedOver = true;
      handOver(source as Window).catch((error) => fail("sandbox-refused", error));
    } else if (method === "notifications/message" && params?.level === "error") {
      fail("sandbox-refused", params.data?.detail);
    }
  };

  const load = (src: string, from: string, allow: string): void => {
    if (isOver) return;
    origin = from;
    // On our own origin, the browser couldn't distinguish the relay from us (HST-22).
    if (origin === location.origin) {
      fail("sandbox-refused", "same-origin");
      return;
    }
    element.setAttribute("sandbox", OUTER_SANDBOX);
    element.referrerPolicy = "origin";
    element.allow = options.allow ?? allow;
    element.title = plainName(title);
    element.src = src;
    element.onload = () => {
      // The first load belongs to the page that sent the port; after another one the port is dead.
      if (link && ++portLoads > 1) {
        handleEvent({ gone: true });
        link.close();
      }
      const load = ++loads;
      setTimeout(() => link || isOver || messages >= load || giveUp("host-refused"), SILENCE);
    };
    addEventListener("message", receive, listening);
    document.addEventListener("securitypolicyviolation", readViolation, listening);
    parent.append(element);
  };

  const open = async (): Promise<void> => {
    if (typeof sandbox === "string" || !("register" in sandbox)) {
      const entrance = typeof sandbox === "string" ? sandbox : sandbox.entrance;
      const url = new URL(entrance, document.baseURI);
      // In parallel with loading the page.
      credential = credentialFor(url, options);
      credential.catch(() => {});
      return load(url.href, url.origin, askedFeatures(permissions, url.origin));
    }
    // It has no entrance that could deliver the view.
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
    onRelayEvent: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      fail("closed");
      link?.tell({ close: true });
      link?.close();
      // Not left to the relay, which may share its process with a busy view.
      element.remove();
    },
  };
}

/** The features that a view requests and may have; the sandbox decides which ones it gets. */
function askedFeatures(permissions: unknown, origin: string): string {
  return PERMISSIONS.filter((name) => Object.hasOwn(Object(permissions), name))
    .map((name) => `${name.replace("W", "-w")} ${origin}`)
    .join("; ");
}

function defer<Value>(): Deferred<Value> {
  const deferred = {} as Deferred<Value>;
  deferred.promise = new Promise((resolve, reject) => Object.assign(deferred, { resolve, reject }));
  // Without an event handler the caller doesn't need the result.
  deferred.promise.catch(() => {});
  return deferred;
}
