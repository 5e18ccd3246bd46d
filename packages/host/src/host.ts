// The page's one Host: what all Views share. `HostedView` is one View from mount to close,
// `ViewSession` one life of its document, `AppBridge` what is said in it.

import type {
  CreateMessageRequest,
  CreateMessageResult,
  Implementation,
  LinkOptions,
  LoggingMessageNotification,
  McpUiDisplayMode,
  McpUiHostContext,
  McpUiMessageRequest,
  McpUiMessageResult,
  Tool,
} from "@vitrine/protocol/apps";
import type { Consent } from "./consent/consent.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { SandboxAddress } from "./frame/frame.ts";
import { HostedView, type Shared } from "./hosted-view.ts";
import { createLiveViews } from "./live-views.ts";
import { createModelContext, type ModelContext } from "./model/model-context.ts";
import { createPreparedFrames } from "./prepared-frames.ts";
import { createUiResourceCache, type UiResource } from "./resources/ui-resource.ts";
import type { StageTimes } from "./stage-clock.ts";
import { createSurface, type Surface, type SurfaceLabels } from "./surface/surface.ts";
import { ALL_MODES } from "./surroundings.ts";
import type { Upstream } from "./upstreams/upstream.ts";
import { memoryStore, type RecordStore } from "./view-record.ts";

/** How a Host is set up; only `sandbox` is needed. */
export interface HostOptions {
  /** Where Views live: the address of the Sandbox's entrance, or a way to register them. */
  sandbox: SandboxAddress;
  hostInfo?: Implementation;
  /** What every View is told of its surroundings; the rest is added for each. */
  context?: McpUiHostContext;
  /** All three by default. */
  displayModes?: readonly McpUiDisplayMode[];
  /** Asked where the default rule wants somebody to be asked; a dialog by default. */
  consent?: Consent;
  links?: LinkOptions;
  /** `"strict"` shows no View in a browser that cannot hold it back from the network. */
  egress?: "strict" | "partial";
  /** Whose Views these are: part of their origin, so that users of one browser stay apart. */
  tenant?: string;
  user?: string;
  /** Brings Views back; for the life of the page by default, `webStore()` survives a reload. */
  store?: RecordStore;
  /** Views alive at once; others wait off screen. */
  liveViews?: number;
  /** Tool calls that each View may make in a minute; 60. */
  callsPerMinute?: number;
  /** Pixels that an inline View may grow to. */
  maxHeight?: number;
  times?: Partial<StageTimes>;
  /** Words around Views, in the user's language. */
  labels?: Partial<SurfaceLabels>;
  /** Looks at a View's HTML, or at its hash, before it is shown; anything but `true` refuses (HST-35). */
  review?(resource: UiResource): boolean | Promise<boolean>;
  /** Takes a View's message into the conversation (HST-75). */
  onmessage?(params: McpUiMessageRequest["params"], view: HostedView): Promise<McpUiMessageResult>;
  oncreatesamplingmessage?(
    params: CreateMessageRequest["params"],
    view: HostedView,
  ): Promise<CreateMessageResult>;
  /** A View's log, for its author and never for the model (HST-83). */
  onloggingmessage?(params: LoggingMessageNotification["params"], view: HostedView): void;
  /** A View wants to be closed; `false` refuses (HST-52). */
  onrequestteardown?(view: HostedView): boolean | undefined;
}

/** A call whose result a View shows. */
export interface AppRequest {
  /** The Host's name for this instance, stable over reloads: the id of the message, for example. */
  key: string;
  upstream: Upstream;
  tool: Tool;
  /** The JSON-RPC id of the call, where the Host knows it. */
  callId?: string | number;
  input?: Record<string, unknown>;
}

/** What a page has one of. */
export interface Host {
  readonly options: HostOptions;
  readonly modelContext: ModelContext;
  readonly views: ReadonlyMap<string, HostedView>;
  /** Shows a View in an element; one that is shown elsewhere under the same key moves here. */
  mount(container: HTMLElement, app: AppRequest): HostedView;
  /** Gets a View ready before its tool has run: its HTML, and where the browser allows its frame. */
  prepare(app: Pick<AppRequest, "upstream" | "tool">): Promise<void>;
  /** Changes what Views are told of their surroundings, such as the theme. */
  setContext(context: McpUiHostContext): void;
  /** Hears everything that goes wrong, and what authors should know. */
  onDiagnostic(listener: (diagnostic: Diagnostic) => void): () => void;
  /** Removes a View and its record. */
  forget(key: string): Promise<void>;
  /** Closes every View; idempotent. */
  close(): Promise<void>;
}

/** Sets up a page's Host. */
export function createHost(options: HostOptions): Host {
  const { sandbox, tenant, user, labels, displayModes, store = memoryStore() } = options;
  const views = new Map<string, HostedView>();
  const listeners = new Set<(diagnostic: Diagnostic) => void>();
  const resources = createUiResourceCache();
  const draw = ({ tool, upstream }: Pick<AppRequest, "tool" | "upstream">): Surface =>
    createSurface({
      title: tool.title ?? tool.name,
      server: upstream.server,
      modes: displayModes ?? ALL_MODES,
      labels,
    });
  const prepared = createPreparedFrames({ sandbox, tenant, user, resources, createSurface: draw });
  let context = options.context ?? {};

  const host: Host = {
    options,
    views,
    modelContext: createModelContext(),
    mount: (container, app) => {
      let view = views.get(app.key);
      if (!view) {
        view = new HostedView(app, shared);
        views.set(app.key, view);
        view.onClose(() => views.delete(app.key));
      }
      view.attach(container);
      return view;
    },
    prepare: async (app) => {
      // What it takes to talk to a View, together with the View.
      await Promise.all([prepared.prepare(app), import("./view-session.ts")]);
    },
    setContext: (changes) => {
      context = { ...context, ...changes };
      for (const view of views.values()) view.refreshContext();
    },
    onDiagnostic: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    forget: async (key) => {
      await views.get(key)?.close();
      await store.delete(key);
    },
    close: async () => {
      removeEventListener("pagehide", leave);
      prepared.close();
      await Promise.all([...views.values()].map((view) => view.close()));
    },
  };
  const shared: Shared = {
    host,
    store,
    resources,
    takePrepared: prepared.take,
    live: createLiveViews({ limit: options.liveViews ?? 8 }),
    context: () => context,
    createSurface: draw,
    report: (diagnostic) => {
      for (const listener of [...listeners]) listener(diagnostic);
    },
  };
  // HST-49: whatever the cause. A page that goes away cannot wait for the answer.
  const leave = (): void => {
    for (const view of views.values()) view.leave();
  };
  addEventListener("pagehide", leave);
  return host;
}
