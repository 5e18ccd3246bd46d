// One View, from the moment a page wants it to its end. Its document may live several times: after
// a retry, after it was suspended, after the page was reloaded. What it was told and what it left
// with us is in its record, and each life is told the same.

import { LocalError } from "@vitrine/protocol";
import type { CallToolResult, McpUiDisplayMode, McpUiHostContext } from "@vitrine/protocol/apps";
import { toolResourceUri } from "@vitrine/protocol/apps/discovery";
import type { AppBridge } from "./bridge/bridge.ts";
import type { Diagnostic, DiagnosticCode, Stage } from "./diagnostic.ts";
import { openFrame } from "./frame/frame.ts";
import type { AppliedSize } from "./frame/frame-size.ts";
import type { AppRequest, Host } from "./host.ts";
import type { LiveViews } from "./live-views.ts";
import type { PreparedFrame } from "./prepared-frames.ts";
import { RecordKeeper } from "./record-keeper.ts";
import type { UiResource, UiResourceCache } from "./resources/ui-resource.ts";
import { StageClock } from "./stage-clock.ts";
import type { Surface } from "./surface/surface.ts";
import { ALL_MODES, contextOf } from "./surroundings.ts";
import type { RecordStore } from "./view-record.ts";
import type { ViewSession } from "./view-session.ts";

/** What all Views of a page share. */
export interface Shared {
  host: Host;
  store: RecordStore;
  resources: UiResourceCache;
  /** A frame that waits for this View, if there is one. */
  takePrepared(app: AppRequest): PreparedFrame | undefined;
  live: LiveViews;
  report(diagnostic: Diagnostic): void;
  context(): McpUiHostContext;
  createSurface(app: Pick<AppRequest, "tool" | "upstream">): Surface;
}

/** News of the tool call that a View shows. */
export interface ToolData {
  /** Before the result or with it; a View that is told a result alone is told of an empty input. */
  input?: Record<string, unknown> | undefined;
  /** Arguments as far as the model has written them, healed to an object. */
  partialInput?: Record<string, unknown> | undefined;
  result?: CallToolResult | undefined;
  /** The reason, if the call was cancelled. */
  cancelled?: string | undefined;
}

/** How long a View without a place in the page lives on. */
const PARKED = 30_000;

/** A View and its place in the page. */
export class HostedView {
  readonly app: AppRequest;
  readonly #shared: Shared;
  readonly #surface: Surface;
  readonly #keeper: RecordKeeper;
  readonly #stageListeners = new Set<(stage: Stage) => void>();
  readonly #closeListeners = new Set<() => void>();
  readonly #widths = new ResizeObserver(() => this.refreshContext());
  #prepared: PreparedFrame | undefined;
  #session: ViewSession | undefined;
  #greeted: ViewSession | undefined;
  #clock: StageClock | undefined;
  #container: HTMLElement | undefined;
  #partialInput: ToolData["partialInput"];
  #parked: ReturnType<typeof setTimeout> | undefined;
  #leaveLive: (() => void) | undefined;
  // Counts starts, so that one which was overtaken notices.
  #life = 0;
  isClosed = false;

  constructor(app: AppRequest, shared: Shared) {
    this.app = app;
    this.#shared = shared;
    const { upstream, tool } = app;
    this.#prepared = shared.takePrepared(app);
    this.#surface = this.#prepared?.surface ?? shared.createSurface(app);
    const resourceUri = toolResourceUri(tool).uri ?? "";
    const record = { version: 1, server: upstream.server, tool: tool.name, resourceUri } as const;
    this.#keeper = new RecordKeeper(app.key, shared.store, record);
    this.#surface.onModeRequest((mode) => this.setDisplayMode(mode));
    this.#widths.observe(this.#surface.body);
    if (app.input) this.update({ input: app.input });
  }

  get key(): string {
    return this.app.key;
  }

  /** How far its present life has come. */
  get stage(): Stage {
    return this.#clock?.stage ?? "resource";
  }

  /** The bridge of its present life, if it has one. */
  get bridge(): AppBridge | undefined {
    return this.#session?.bridge;
  }

  get displayMode(): McpUiDisplayMode {
    return this.#surface.mode;
  }

  /** Calls back at each stage; returns the undo. */
  onStage(listener: (stage: Stage) => void): () => void {
    this.#stageListeners.add(listener);
    return () => this.#stageListeners.delete(listener);
  }

  /** Calls back once, when the View is closed for good. */
  onClose(listener: () => void): () => void {
    this.#closeListeners.add(listener);
    return () => this.#closeListeners.delete(listener);
  }

  /** Gives the View a place; its document lives on where the browser can move it alive. */
  attach(container: HTMLElement): void {
    clearTimeout(this.#parked);
    this.#container = container;
    const survived = this.#surface.attach(container) === "moved";
    // On its way, alive, failed or suspended: it is what it was.
    if (survived && this.#life > 0) return;
    this.#session?.end();
    this.#session = undefined;
    void this.#start();
  }

  /** Takes the View out of the page, for a while or for good; a place it has left since is ignored. */
  detach(container: HTMLElement | undefined = this.#container): void {
    if (container !== this.#container) return;
    this.#container = undefined;
    // A View that is still on its way is kept as well: React mounts twice in development.
    if (!this.isClosed && this.#surface.park()) {
      this.#parked = setTimeout(() => void this.close("not shown any more"), PARKED);
    } else void this.close("not shown any more");
  }

  /** Tells the View of its tool call, now or as soon as it may be told. */
  update({ partialInput, ...lasting }: ToolData): void {
    const { record } = this.#keeper;
    // A View waits for its input before it looks at a result (HST-44), so there is always one.
    if (lasting.result) lasting.input ??= record.input ?? {};
    // Once each: frameworks render the same data again and again.
    const news = Object.entries(lasting).filter(
      ([name, value]) => value !== undefined && record[name as keyof typeof lasting] === undefined,
    );
    const fresh = Object.fromEntries(news);
    if (news.length > 0) this.#keeper.keep(fresh);
    this.#partialInput = partialInput ?? this.#partialInput;
    // Whoever has not been greeted is told all of it then; told now as well, it would hear it twice.
    if (this.#greeted === this.#session) this.#greeted?.tell({ partialInput, ...fresh });
  }

  /** Changes where it is shown; the mode in force afterwards (HST-59, HST-60). */
  setDisplayMode(mode: McpUiDisplayMode): McpUiDisplayMode {
    if (this.#modes().includes(mode) && this.#surface.setMode(mode)) {
      this.refreshContext();
    }
    return this.#surface.mode;
  }

  /** Loads the document anew and tells it everything again. */
  async reload(): Promise<void> {
    await this.suspend("reload");
    await this.#start();
  }

  /** Ends the document but keeps the place; `resume` brings it back. */
  async suspend(reason = "suspended"): Promise<void> {
    this.#life++;
    const session = this.#session;
    this.#session = undefined;
    this.#clock?.stop();
    await session?.close(reason);
    this.#surface.conceal();
  }

  /** Brings a suspended View back. */
  resume(): void {
    if (!this.#session && !this.isClosed) void this.#start();
  }

  /** Ends the View; its record stays with the store. Idempotent. */
  async close(reason?: string): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.#parked);
    this.#leaveLive?.();
    this.#widths.disconnect();
    // At once: while this document says goodbye, the next View of the same key may be on its way.
    this.#shared.host.modelContext.delete(this.key);
    for (const listener of this.#closeListeners) listener();
    await this.suspend(reason);
    this.#surface.close();
  }

  /** Says goodbye without waiting: the page is going away. */
  leave(): void {
    void this.#session?.bridge.teardownResource({ reason: "the page is closed" });
  }

  /** Tells the View what has changed around it. */
  refreshContext(): void {
    this.#session?.setContext(this.#context());
  }

  async #start(): Promise<void> {
    const life = ++this.#life;
    const { app, key } = this;
    const { host, live } = this.#shared;
    const { options } = host;
    const prepared = this.#prepared;
    this.#prepared = undefined;
    this.#clock?.stop();
    this.#clock = new StageClock(options.times ?? {}, (code) => {
      if (code) this.#fail(code);
      else this.#reach("shown");
    });
    this.#reach("resource");
    this.#surface.conceal();
    // What it takes to talk to a View is loaded beside it.
    const loading = import("./view-session.ts");
    loading.catch(() => {});
    try {
      await this.#keeper.restored;
      const { modelContext, state } = this.#keeper.record;
      if (modelContext) host.modelContext.set(key, modelContext);
      const resource = await this.#read(prepared);
      // Closed, suspended or started once more while the Server was asked.
      if (life !== this.#life) return;
      this.#reach("sandbox");
      this.#compare(resource.hash);
      this.#surface.setBorder(resource.prefersBorder);
      const { sandbox, tenant, user } = options;
      const identity = { server: app.upstream.server, resource: resource.uri, tenant, user };
      const title = app.tool.title ?? app.tool.name;
      const frame =
        prepared?.frame ?? openFrame(this.#surface.body, { sandbox, resource, identity, title });
      const { ViewSession } = await loading;
      if (life !== this.#life) {
        frame.close();
        return;
      }
      const session = new ViewSession({
        view: this,
        frame,
        options,
        resourceUri: resource.uri,
        context: this.#context(),
        state,
        events: {
          initialize: () => this.#reach("initialize"),
          initialized: () => this.#greet(session),
          sized: (size) => this.#apply(size),
          state: (state) => this.#keeper.keep({ state }),
          modelContext: (update) => {
            // What it says on its way out is kept for its return, and not for the model.
            if (!this.isClosed) host.modelContext.set(key, update, session.bridge.view);
            this.#keeper.keep({ modelContext: update });
          },
          granted: (granted) => this.#keeper.keep({ granted }),
          stopped: (code, detail) => this.#stop(session, code, detail),
          report: (level, code, detail, cause) => this.#report(level, code, detail, cause),
        },
      });
      this.#session = session;
      this.#leaveLive = live.add(this, this.#surface.body);
      await session.bridge.connect(await frame.channel);
      // A quick View has begun to speak by now.
      if (this.stage === "sandbox") this.#reach("document");
    } catch (error) {
      if (life !== this.#life) return;
      this.#session?.end();
      this.#session = undefined;
      const { code = "sandbox-refused", detail, cause = error } = error as Failure;
      this.#fail(code, detail, cause);
    }
  }

  /** The View's HTML, if it may be shown here at all. */
  async #read(prepared: PreparedFrame | undefined): Promise<UiResource> {
    const { upstream, tool } = this.app;
    const { egress, sandbox, review } = this.#shared.host.options;
    const { uri, ...missing } = toolResourceUri(tool);
    if (uri === undefined) {
      const { code, reason } = missing as { code: string; reason?: string };
      throw failure(code === "invalid" ? "bad-resource-uri" : "no-resource", reason);
    }
    if (egress === "strict") {
      const { probeEgress } = await import("./frame/egress.ts");
      const found = await probeEgress(sandbox);
      if (found.egress !== "strict") throw failure("egress-partial", found.why);
    }
    const resource = prepared?.resource ?? (await this.#shared.resources.read(upstream, uri));
    if (review && (await review(resource)) !== true)
      throw failure("resource-refused", resource.hash);
    return resource;
  }

  /** The handshake is over: from here on the View may be told things, and be seen. */
  #greet(session: ViewSession): void {
    const { input, result, cancelled, height } = this.#keeper.record;
    this.#reach("initialized");
    this.#surface.setModes(this.#modes());
    if (height !== undefined) this.#surface.setSize({ height });
    this.#surface.reveal();
    this.#greeted = session;
    // In this order; the bridge keeps to it as well.
    session.tell({ partialInput: this.#partialInput, input, result, cancelled });
    this.refreshContext();
  }

  #apply(size: AppliedSize): void {
    this.#surface.setSize(size);
    if (size.height !== undefined) this.#keeper.keep({ height: size.height });
    if (this.stage === "initialized") this.#reach("shown");
  }

  #stop(session: ViewSession, code: DiagnosticCode, detail?: string): void {
    if (session !== this.#session) return;
    this.#session = undefined;
    session.end();
    this.#fail(code, detail);
  }

  /** The View is not to be seen; what the tool answered always is. */
  #fail(code: DiagnosticCode, detail?: string, cause?: unknown): void {
    this.#clock?.stop();
    const diagnostic = this.#report("error", code, detail, cause);
    const text = textOf(this.#keeper.record.result);
    const retry = (): void => void this.reload();
    this.#surface.showFallback(text, undefined, retry);
    void import("./sentences.ts").then(({ explainDiagnostic }) => {
      // The View may have come after all.
      if (this.bridge?.initialized) return;
      this.#surface.showFallback(text, explainDiagnostic(diagnostic), retry);
    });
  }

  #report(
    level: Diagnostic["level"],
    code: DiagnosticCode,
    detail?: string,
    cause?: unknown,
  ): Diagnostic {
    const diagnostic: Diagnostic = {
      level,
      code,
      stage: this.stage,
      elapsed: this.#clock?.elapsed ?? 0,
      view: this.key,
      server: this.app.upstream.server,
      ...(detail !== undefined && { detail }),
      ...(cause !== undefined && { cause }),
    };
    this.#shared.report(diagnostic);
    return diagnostic;
  }

  #reach(stage: Stage): void {
    this.#clock?.reach(stage);
    for (const listener of this.#stageListeners) listener(stage);
  }

  /** The modes that both sides know (HST-58). */
  #modes(): McpUiDisplayMode[] {
    const offered = this.#shared.host.options.displayModes ?? ALL_MODES;
    return offered.filter((mode) => this.bridge?.canShowIn(mode) ?? true);
  }

  #context(): McpUiHostContext {
    const { options } = this.#shared.host;
    return { ...this.#shared.context(), ...contextOf(this.app, this.#surface, options) };
  }

  /** Says so when a View comes back with other HTML than it left with (HST-35). */
  #compare(resourceHash: string): void {
    const before = this.#keeper.record.resourceHash;
    if (before !== undefined && before !== resourceHash) {
      this.#report("info", "resource-changed", `${before} → ${resourceHash}`);
    }
    this.#keeper.keep({ resourceHash });
  }
}

type Failure = Partial<LocalError<DiagnosticCode>> & {
  detail?: string | undefined;
  cause?: unknown;
};

function failure(code: DiagnosticCode, detail?: string): Failure {
  return Object.assign(new LocalError(code, detail), { detail });
}

/** What a person reads who does not see the View. */
function textOf(result: CallToolResult | undefined): string {
  const texts = result?.content?.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return texts?.join("\n") ?? "";
}
