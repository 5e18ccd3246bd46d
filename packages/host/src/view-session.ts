// One load of a view's document: its frame, the bridge over it, and their reports to the host.

import type {
  Implementation,
  McpUiHostCapabilities,
  McpUiHostContext,
} from "@vitrine/protocol/apps";
import { printable } from "@vitrine/protocol/printable";
import { AppBridge } from "./bridge/bridge.ts";
import { timeCalls } from "./call-times.ts";
import { consentOf } from "./consent/host-consent.ts";
import { addPlace } from "./consent/question-place.ts";
import type { DiagnosticCode } from "./diagnostic.ts";
import { createFloodGuard, type FloodGuard } from "./frame/flood-guard.ts";
import { createFocusGuard, type FocusGuard } from "./frame/focus-guard.ts";
import type { Frame } from "./frame/frame.ts";
import { type AppliedSize, createFrameSize, type FrameSize } from "./frame/frame-size.ts";
import { watchHealth } from "./frame/health.ts";
import { downloadFile, openLink } from "./frame/page-actions.ts";
import type { RelayEvent } from "./frame/port-link.ts";
import type { HostEventDetail } from "./host-event.ts";
import type { HostOptions } from "./host-options.ts";
import type { HostedView, ToolData } from "./hosted-view.ts";
import type { ModelContextUpdate } from "./model/model-context.ts";
import { contextOfPage, onPageContextChange } from "./page-context.ts";

/** Events of a session for its owner. */
export interface SessionEvents {
  initialize(): void;
  initialized(): void;
  /** The view should get this size. */
  sized(size: AppliedSize): void;
  state(value: unknown): void;
  modelContext(update: ModelContextUpdate): void;
  granted(granted: NonNullable<McpUiHostCapabilities["sandbox"]>): void;
  /** The view has stopped responding, or responds again. */
  responding(isResponding: boolean): void;
  /** The sandbox or one of the host's guards stopped it. */
  stopped(code: DiagnosticCode, detail?: string): void;
  emit(event: HostEventDetail): void;
  report(level: "info" | "warning", code: DiagnosticCode, detail?: string, cause?: unknown): void;
  /** The view has a fault and doesn't connect. It is still shown if it connects later. */
  failed(code: DiagnosticCode, detail: string): void;
}

/** Options of a session. */
export interface SessionOptions {
  view: HostedView;
  frame: Frame;
  /** Changes the view's area, and swallows presses on it for a moment. */
  shield(change: () => void): void;
  resourceUri: string;
  context: McpUiHostContext;
  state: unknown;
  options: HostOptions;
  /** The id of the conversation that the view belongs to. */
  conversation: string;
  events: SessionEvents;
}

// Now, and not with the first bridge: every view needs it.
void import("./gate/request-gate.ts");

// A page with a harmless error connects at once.
const START_PATIENCE = 1000;
const LONGEST_FAULT = 300;

const NAMELESS: Implementation = { name: "Vitrine", version: "0.1.0" };

// One of each per page: the focus, and messages to the window, concern all views.
let guard: FocusGuard | undefined;
let floodGuard: FloodGuard | undefined;

/** A view's document while it is loaded. */
export class ViewSession {
  readonly bridge: AppBridge;
  readonly frame: Frame;
  readonly #size: FrameSize;
  readonly #undo: (() => void)[];
  readonly #options: HostOptions;
  #context: McpUiHostContext;
  #isClosed = false;
  #isStarted = false;
  #startFault: ReturnType<typeof setTimeout> | undefined;
  /** Its document has ended; its messages don't count any more. */
  isOver = false;

  constructor(life: SessionOptions) {
    const { view, frame, resourceUri, context, state, options, conversation, events } = life;
    const { key, upstream } = view.app;
    this.frame = frame;
    this.#options = options;
    this.#context = context;
    const asking = { key, server: upstream.server, conversation, resourceUri };
    const bridge = new AppBridge(upstream, options.hostInfo ?? NAMELESS, undefined, {
      hostContext: this.#withPage(context),
      view: asking,
      owner: { tenant: options.tenant, user: options.user },
      consent: consentOf(options),
      state,
      links: options.links,
      gestures: options.gestures,
      callsPerMinute: options.callsPerMinute,
      onDiagnostic: ({ level, code, detail, cause }) => events.report(level, code, detail, cause),
      onConsent: (decision) => events.emit({ type: "consent", ...decision }),
      onTraffic: timeCalls(events.emit),
      onAbuse: () => events.stopped("malformed"),
      onStop: () => events.stopped("stopped"),
    });
    this.bridge = bridge;
    bridge.oninitialize = () => {
      this.#isStarted = true;
      clearTimeout(this.#startFault);
      events.initialize();
    };
    bridge.oninitialized = events.initialized;
    this.#size = createFrameSize(events.sized, context.containerDimensions);
    bridge.onsizechange = this.#size.report;
    bridge.onstate = events.state;
    bridge.onloggingmessage = (params) => options.onloggingmessage?.(params, view);
    bridge.onrequestdisplaymode = async ({ mode }) => ({ mode: view.setDisplayMode(mode) });
    bridge.onrequestteardown = () => {
      // HST-52, HST-53.
      if (options.onrequestteardown?.(view) !== false) void view.close("requested by the view");
    };
    bridge.onupdatemodelcontext = async (update) => {
      health.received();
      events.modelContext(update);
      return {};
    };
    bridge.onopenlink = openLink;
    bridge.ondownloadfile = downloadFile(upstream);
    const { onmessage, oncreatesamplingmessage } = options;
    if (onmessage) bridge.onmessage = (params) => onmessage(params, view);
    if (oncreatesamplingmessage) {
      bridge.oncreatesamplingmessage = (params) => oncreatesamplingmessage(params, view);
    }
    for (const [name, run] of Object.entries(options.methods ?? {})) {
      bridge.peer.handle(
        name,
        async (params, { signal }) => (await run(params, { view, signal })) ?? {},
      );
    }
    const health = watchHealth({
      ping: () => bridge.peer.request("ping"),
      isRelayAlive: async () => (await frame.isUserActive()) !== undefined,
      onSilent: (code) => {
        if (code === "gone") return events.stopped(code);
        events.report("warning", code);
        events.responding(false);
      },
      onResponding: () => events.responding(true),
    });
    guard ??= createFocusGuard();
    floodGuard ??= createFloodGuard();
    this.#undo = [
      health.close,
      addPlace(options, asking, { frame: frame.element, shield: life.shield }),
      this.#size.close,
      upstream.onLost?.((reason) => events.stopped("server-lost", reason)) ?? (() => {}),
      onPageContextChange(() => this.setContext(this.#context)),
      frame.onRelayEvent((event) => this.#handleEvent(event, events)),
      guard.watch(
        { element: frame.element, isUserActive: async () => (await frame.isUserActive()) === true },
        () => events.stopped("focus-theft"),
      ),
      floodGuard.watch(frame.element, () => events.stopped("killed", "flood")),
    ];
    frame.mount();
    // Before the view can ask for it: the relay reports it first.
    frame.registered.then(
      ({ grant, egress, rejected, htmlHash, policyHash }) => {
        bridge.sandbox = grant;
        events.granted(grant);
        // HST-30: for reviews.
        events.report("info", "policy", JSON.stringify({ grant, egress, htmlHash, policyHash }));
        for (const { list, value, reason } of rejected) {
          events.report("warning", "policy-rejected", `${list}: ${value}: ${reason}`);
        }
        // HST-31: these can receive the view's data.
        if (egress.length > 0) events.report("info", "external-domains", egress.join(" "));
      },
      // The channel fails as well, and reports it.
      () => {},
    );
  }

  #handleEvent(event: RelayEvent, events: SessionEvents): void {
    if ("killed" in event) {
      const { code, detail } = event.killed;
      events.stopped("killed", `${code} ${detail}`.trim());
    }
    if ("gone" in event) events.stopped("gone");
    if ("violation" in event) {
      const { directive, blocked } = event.violation;
      // Without its script a view can't start; anything else it may do without.
      this.#reportFault("blocked", `${directive}: ${blocked}`, events, /^script/.test(directive));
    }
    if ("failed" in event) {
      this.#reportFault("view-error", event.failed.message, events, true);
    }
    if ("dropped" in event) {
      const { code, count } = event.dropped;
      events.report("warning", "dropped", `${count} × ${code}`);
    }
  }

  /** A view that has a fault before it connects, and doesn't connect, has failed. The text is the view's. */
  #reportFault(code: DiagnosticCode, text: string, events: SessionEvents, isFatal: boolean): void {
    const detail = printable(text.slice(0, LONGEST_FAULT));
    if (this.#isStarted || !isFatal) events.report("warning", code, detail);
    // The first one explains the others.
    else this.#startFault ??= setTimeout(() => events.failed(code, detail), START_PATIENCE);
  }

  /** Sends the data of the tool call; the bridge ensures order and time (HST-42 to 48). */
  tell({ input, partialInput, result, cancelled }: ToolData): void {
    const { bridge } = this;
    if (partialInput) bridge.sendToolInputPartial({ arguments: partialInput });
    if (input) bridge.sendToolInput({ arguments: input });
    if (result) bridge.sendToolResult(result);
    if (cancelled !== undefined) bridge.sendToolCancelled({ reason: cancelled });
  }

  /** Sends the view the changes of its host context. */
  setContext(context: McpUiHostContext): void {
    this.#context = context;
    this.#size.setDimensions(context.containerDimensions ?? {});
    this.bridge.setHostContext(this.#withPage(context));
  }

  #withPage(context: McpUiHostContext): McpUiHostContext {
    const { contextFromPage = true, hostInfo = NAMELESS } = this.#options;
    return contextFromPage ? { ...contextOfPage(hostInfo), ...context } : context;
  }

  /** Ends the session after the view had a chance to save its work (HST-49 to 51). */
  async close(reason?: string): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.bridge.teardownResource(reason === undefined ? {} : { reason });
    this.end();
  }

  /** Ends the session at once. */
  end(): void {
    this.#isClosed = true;
    this.isOver = true;
    clearTimeout(this.#startFault);
    for (const undo of this.#undo.splice(0)) undo();
    void this.bridge.close();
    this.frame.close();
  }
}
