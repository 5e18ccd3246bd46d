// One life of a View's document: its frame, the bridge over it, and what each tells the Host.

import type {
  Implementation,
  McpUiHostCapabilities,
  McpUiHostContext,
} from "@vitrine/protocol/apps";
import { AppBridge } from "./bridge/bridge.ts";
import type { Consent } from "./consent/consent.ts";
import { toConsent } from "./consent/consent-memory.ts";
import type { DiagnosticCode } from "./diagnostic.ts";
import { createFloodGuard, type FloodGuard } from "./frame/flood-guard.ts";
import { createFocusGuard, type FocusGuard } from "./frame/focus-guard.ts";
import type { Frame } from "./frame/frame.ts";
import { type AppliedSize, createFrameSize, type FrameSize } from "./frame/frame-size.ts";
import { watchHealth } from "./frame/health.ts";
import { downloadFile, openLink } from "./frame/page-actions.ts";
import type { News } from "./frame/port-link.ts";
import type { HostOptions } from "./host.ts";
import type { HostedView, ToolData } from "./hosted-view.ts";
import type { ModelContextUpdate } from "./model/model-context.ts";

/** What a life of a View tells its owner. */
export interface SessionEvents {
  initialize(): void;
  initialized(): void;
  /** The View is to have this size. */
  sized(size: AppliedSize): void;
  state(value: unknown): void;
  modelContext(update: ModelContextUpdate): void;
  granted(granted: NonNullable<McpUiHostCapabilities["sandbox"]>): void;
  /** The Sandbox or one of the Host's own guards has had enough of it. */
  stopped(code: DiagnosticCode, detail?: string): void;
  report(level: "info" | "warning", code: DiagnosticCode, detail?: string, cause?: unknown): void;
}

/** What a life of a View begins with. */
export interface SessionOptions {
  view: HostedView;
  frame: Frame;
  resourceUri: string;
  context: McpUiHostContext;
  state: unknown;
  options: HostOptions;
  events: SessionEvents;
}

// Now, and not with the first bridge: every View needs it.
void import("./gate/request-gate.ts");

const NAMELESS: Implementation = { name: "Vitrine", version: "0.1.0" };

// One of each for the page: which frame has the focus, and who posts to the window, concerns all.
let guard: FocusGuard | undefined;
let floodGuard: FloodGuard | undefined;

/** A View's document while it lives. */
export class ViewSession {
  readonly bridge: AppBridge;
  readonly frame: Frame;
  readonly #size: FrameSize;
  readonly #undo: (() => void)[];
  #isClosed = false;

  constructor(life: SessionOptions) {
    const { view, frame, resourceUri, context, state, options, events } = life;
    const { key, upstream } = view.app;
    this.frame = frame;
    const bridge = new AppBridge(upstream, options.hostInfo ?? NAMELESS, undefined, {
      hostContext: context,
      view: { key, server: upstream.server, resourceUri },
      consent: consentOf(options),
      state,
      links: options.links,
      callsPerMinute: options.callsPerMinute,
      onDiagnostic: ({ level, code, detail, cause }) => events.report(level, code, detail, cause),
      onAbuse: () => events.stopped("malformed"),
    });
    this.bridge = bridge;
    bridge.oninitialize = events.initialize;
    bridge.oninitialized = events.initialized;
    this.#size = createFrameSize(events.sized, context.containerDimensions);
    bridge.onsizechange = this.#size.report;
    bridge.onstate = events.state;
    bridge.onloggingmessage = (params) => options.onloggingmessage?.(params, view);
    bridge.onrequestdisplaymode = async ({ mode }) => ({ mode: view.setDisplayMode(mode) });
    bridge.onrequestteardown = () => {
      // HST-52, HST-53.
      if (options.onrequestteardown?.(view) !== false) void view.close("asked for by the View");
    };
    bridge.onupdatemodelcontext = async (update) => {
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
    const health = watchHealth({
      ping: () => bridge.peer.request("ping"),
      isRelayAlive: async () => (await frame.isUserActive()) !== undefined,
      onSilent: (code) => (code === "gone" ? events.stopped(code) : events.report("warning", code)),
    });
    guard ??= createFocusGuard();
    floodGuard ??= createFloodGuard();
    this.#undo = [
      health.close,
      this.#size.close,
      frame.onNews((news) => this.#hear(news, events)),
      guard.watch(
        { element: frame.element, isUserActive: async () => (await frame.isUserActive()) === true },
        () => events.stopped("focus-theft"),
      ),
      floodGuard.watch(frame.element, () => events.stopped("killed", "flood")),
    ];
    frame.mount();
    // Before the View can ask for it: the relay says it first.
    frame.registered.then(
      ({ grant, egress, rejected, htmlHash, policyHash }) => {
        bridge.sandbox = grant;
        events.granted(grant);
        // HST-30: for whoever reviews it.
        events.report("info", "policy", JSON.stringify({ grant, egress, htmlHash, policyHash }));
        for (const { list, value, reason } of rejected) {
          events.report("warning", "policy-rejected", `${list}: ${value}: ${reason}`);
        }
        // HST-31: what the View shows, these can learn.
        if (egress.length > 0) events.report("info", "external-domains", egress.join(" "));
      },
      // The channel fails as well, and says so.
      () => {},
    );
  }

  #hear(news: News, events: SessionEvents): void {
    if ("killed" in news) {
      const { code, detail } = news.killed;
      events.stopped("killed", `${code} ${detail}`.trim());
    }
    if ("gone" in news) events.stopped("gone");
    if ("violation" in news) {
      const { directive, blocked } = news.violation;
      events.report("warning", "blocked", `${directive}: ${blocked}`);
    }
    if ("dropped" in news) {
      const { code, count } = news.dropped;
      events.report("warning", "dropped", `${count} × ${code}`);
    }
  }

  /** Tells the View of its tool call; the bridge sees to order and time (HST-42 to 48). */
  tell({ input, partialInput, result, cancelled }: ToolData): void {
    const { bridge } = this;
    if (partialInput) bridge.sendToolInputPartial({ arguments: partialInput });
    if (input) bridge.sendToolInput({ arguments: input });
    if (result) bridge.sendToolResult(result);
    if (cancelled !== undefined) bridge.sendToolCancelled({ reason: cancelled });
  }

  /** Tells the View what has changed around it. */
  setContext(context: McpUiHostContext): void {
    this.#size.setDimensions(context.containerDimensions ?? {});
    this.bridge.setHostContext(context);
  }

  /** Ends this life, after the View had a chance to put things in order (HST-49 to 51). */
  async close(reason?: string): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.bridge.teardownResource(reason === undefined ? {} : { reason });
    this.end();
  }

  /** Ends this life at once. */
  end(): void {
    this.#isClosed = true;
    for (const undo of this.#undo.splice(0)) undo();
    void this.bridge.close();
    this.frame.close();
  }
}

/** Asks the user; the dialog is loaded with the first question. */
const askByDialog: Consent = async (request) => {
  const { createConsentDialog } = await import("./consent/consent-dialog.ts");
  dialog ??= createConsentDialog();
  return dialog(request);
};
// One for the page, because questions wait for each other.
let dialog: Consent | undefined;

const consents = new WeakMap<HostOptions, Consent>();

/** One for all Views of a Host: what was remembered for one holds for the others. */
function consentOf(options: HostOptions): Consent {
  const consent = consents.get(options) ?? toConsent(options.consent ?? askByDialog);
  consents.set(options, consent);
  return consent;
}
