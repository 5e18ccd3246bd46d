// One view, from mount to close. Its document may be loaded several times: after a retry, after it
// was suspended, after the page was reloaded. The data it received and the data it saved are in its
// record, and each load receives the same.

import type { McpUiDisplayMode, McpUiHostContext } from "@vitrine/protocol/apps";
import { toolResourceUri } from "@vitrine/protocol/apps/discovery";
import type { AppBridge } from "./bridge/bridge.ts";
import type { Diagnostic, DiagnosticCode, Stage } from "./diagnostic.ts";
import type { AppliedSize } from "./frame/frame-size.ts";
import type { HostEvent, HostEventDetail } from "./host-event.ts";
import type { HostOptions } from "./host-options.ts";
import type { AppRequest, HostedView, ToolData } from "./hosted-view.ts";
import type { LiveViews } from "./live-views.ts";
import type { ModelContext } from "./model/model-context.ts";
import { ViewContext } from "./model/view-context.ts";
import type { PreparedFrame } from "./prepared-frames.ts";
import { RecordKeeper } from "./record-keeper.ts";
import type { Failure } from "./resources/allowed-resource.ts";
import type { UiResourceReader } from "./resources/ui-resource.ts";
import { textOf } from "./result-text.ts";
import { StageClock } from "./stage-clock.ts";
import type { FloatingPlace } from "./surface/floating-place.ts";
import type { Surface } from "./surface/surface.ts";
import { ALL_MODES, contextOf } from "./view-host-context.ts";
import { type RecordStore, storeKeyOf } from "./view-record.ts";
import type { ViewSession } from "./view-session.ts";

/** What the views of a conversation share. */
export interface Shared {
  options: HostOptions;
  /** The conversation's id. */
  conversation: string;
  modelContext: ModelContext;
  store: RecordStore;
  /** Where the user left the floating view of this conversation. */
  floating: FloatingPlace;
  resources: UiResourceReader;
  /** A frame that was prepared for this view, if there is one. */
  takePrepared(app: AppRequest): PreparedFrame | undefined;
  live: LiveViews;
  report(diagnostic: Diagnostic): void;
  emit(event: HostEvent): void;
  context(): McpUiHostContext;
  createSurface(app: Pick<AppRequest, "tool" | "upstream">): Surface;
}

/** How long a view without a container stays alive. */
const DETACHED_LIFETIME = 30_000;

const NOTHING = (): void => {};

/** A view and its area in the page. */
export class ViewController implements HostedView {
  readonly app: AppRequest;
  readonly #shared: Shared;
  readonly #surface: Surface;
  readonly #keeper: RecordKeeper;
  readonly #modelContext: ViewContext;
  readonly #stageListeners = new Set<(stage: Stage) => void>();
  readonly #closeListeners = new Set<() => void>();
  readonly #widths = new ResizeObserver(() => this.refreshContext());
  #prepared: PreparedFrame | undefined;
  #session: ViewSession | undefined;
  #greeted: ViewSession | undefined;
  #clock: StageClock | undefined;
  #container: HTMLElement | undefined;
  #partialInput: ToolData["partialInput"];
  #detachTimer: ReturnType<typeof setTimeout> | undefined;
  #leaveLive: (() => void) | undefined;
  /** Lets other views start that wait for this one. */
  #started: () => void = NOTHING;
  // Counts starts, so that an outdated one notices.
  #life = 0;
  isClosed = false;

  constructor(app: AppRequest, shared: Shared, forgotten: AbortSignal) {
    this.app = app;
    this.#shared = shared;
    const { upstream, tool } = app;
    this.#prepared = shared.takePrepared(app);
    this.#surface = this.#prepared?.surface ?? shared.createSurface(app);
    this.#surface.setFloatingPlace(shared.floating);
    const resourceUri = toolResourceUri(tool).uri ?? "";
    const { tenant, user } = shared.options;
    const { conversation, store } = shared;
    const owner = { version: 3, conversation, tenant, user } as const;
    const record = { ...owner, server: upstream.server, tool: tool.name, resourceUri };
    this.#keeper = new RecordKeeper(storeKeyOf(conversation, app.key), store, record, forgotten);
    this.#modelContext = new ViewContext(app.key, shared.modelContext, this.#keeper);
    this.#surface.onModeRequest((mode) => this.setDisplayMode(mode));
    this.#widths.observe(this.#surface.body);
    if (app.input) this.update({ input: app.input });
  }

  get key(): string {
    return this.app.key;
  }

  /** How far the current document has come. */
  get stage(): Stage {
    return this.#clock?.stage ?? "resource";
  }

  /** The bridge to the current document, if there is one. */
  get bridge(): AppBridge | undefined {
    return this.#session?.bridge;
  }

  get displayMode(): McpUiDisplayMode {
    return this.#surface.mode;
  }

  set hasFallback(hasFallback: boolean) {
    this.#surface.setReplaced(hasFallback);
  }

  onStage(listener: (stage: Stage) => void): () => void {
    this.#stageListeners.add(listener);
    return () => this.#stageListeners.delete(listener);
  }

  onClose(listener: () => void): () => void {
    this.#closeListeners.add(listener);
    return () => this.#closeListeners.delete(listener);
  }

  attach(container: HTMLElement): void {
    clearTimeout(this.#detachTimer);
    // The new container has none until it says so.
    if (container !== this.#container) this.hasFallback = false;
    this.#container = container;
    const survived = this.#surface.attach(container) === "moved";
    // Loading, alive, failed or suspended: its state stays the same.
    if (survived && this.#life > 0) return;
    this.#session?.end();
    this.#session = undefined;
    void this.#start(!this.#shared.options.startOffScreen && this.#surface.mode === "inline");
  }

  detach(container: HTMLElement | undefined = this.#container): void {
    if (container !== this.#container) return;
    this.#container = undefined;
    // A view that is still loading is kept as well: React mounts twice in development.
    if (!this.isClosed && this.#surface.detach()) {
      this.#detachTimer = setTimeout(() => void this.#end(), DETACHED_LIFETIME);
    } else void this.#end();
  }

  update({ partialInput, ...lasting }: ToolData): void {
    const { record } = this.#keeper;
    // A view waits for its input before it reads a result (HST-44), so there is always one.
    if (lasting.result) lasting.input ??= record.input ?? {};
    // Each value once: frameworks render the same data repeatedly.
    const changes = Object.entries(lasting).filter(
      ([name, value]) => value !== undefined && record[name as keyof typeof lasting] === undefined,
    );
    const fresh = Object.fromEntries(changes);
    if (changes.length > 0) this.#keeper.keep(fresh);
    this.#partialInput = partialInput ?? this.#partialInput;
    // A view that isn't initialized gets everything then; sent now as well, it would arrive twice.
    if (this.#greeted === this.#session) this.#greeted?.tell({ partialInput, ...fresh });
  }

  setDisplayMode(mode: McpUiDisplayMode): McpUiDisplayMode {
    if (this.#modes().includes(mode) && this.#surface.setMode(mode)) {
      this.refreshContext();
      this.#emit({ type: "display-mode", mode });
    }
    return this.#surface.mode;
  }

  async reload(): Promise<void> {
    await this.suspend("reload");
    await this.#start();
  }

  async suspend(reason = "suspended"): Promise<void> {
    this.#life++;
    const session = this.#session;
    this.#session = undefined;
    this.#clock?.stop();
    await session?.close(reason);
    this.#surface.conceal();
  }

  resume(): void {
    if (!this.#session && !this.isClosed) void this.#start();
  }

  async close(reason?: string): Promise<void> {
    // At once: while this document is torn down, the next view of the same key may be loading.
    if (!this.isClosed) this.#modelContext.hide();
    await this.#end(reason);
  }

  /** Ends the document. Without `close`, the model keeps the context of a view that isn't shown. */
  async #end(reason = "not shown any more"): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.#detachTimer);
    this.#leaveLive?.();
    this.#widths.disconnect();
    this.#surface.shield();
    for (const listener of this.#closeListeners) listener();
    await this.suspend(reason);
    this.#surface.close();
  }

  /** Sends the teardown without waiting: the page is being closed. */
  leave(): void {
    void this.#session?.bridge.teardownResource({ reason: "the page is closed" });
  }

  /** Starts the view again after `leave`: the browser kept the page and shows it again. */
  comeBack(): void {
    if (this.#session) void this.reload();
  }

  /** Sends the view the changes of its host context. */
  refreshContext(): void {
    this.#surface.setPalette(this.#shared.context().styles?.variables);
    this.#session?.setContext(this.#context());
  }

  /** @param waits Until the view is on screen. */
  async #start(waits = false): Promise<void> {
    const life = ++this.#life;
    const { app } = this;
    const { options, live } = this.#shared;
    const prepared = this.#prepared;
    this.#prepared = undefined;
    this.#clock?.stop();
    this.#surface.conceal();
    const loading = import("./view-start.ts");
    const loaded = loading.catch(() => undefined);
    await this.#keeper.restored;
    const { height } = this.#keeper.record;
    if (height !== undefined && life === this.#life) this.#surface.restoreHeight(height);
    const start = await loaded;
    if (waits && !prepared) await start?.untilOnScreen(this.#surface.element, height === undefined);
    if (height !== undefined && !prepared)
      this.#started = (await start?.headStart.take()) ?? NOTHING;
    if (life !== this.#life) return prepared?.frame.close();
    this.#clock = new StageClock(options.times ?? {}, (code) => {
      if (code) this.#fail(code);
      else this.#reach("shown");
    });
    this.#reach("resource");
    try {
      const { ViewSession, frameOptions, openFrame, readAllowed } = await loading;
      const resource = await readAllowed(app, this.#shared, prepared?.resource);
      // Closed, suspended or restarted while the server was queried.
      if (life !== this.#life) return;
      this.#reach("sandbox");
      this.#compare(resource.hash);
      this.#surface.setBorder(resource.prefersBorder);
      const frame =
        prepared?.frame ?? openFrame(this.#surface.body, frameOptions(options, app, resource));
      const session = new ViewSession({
        view: this,
        frame,
        shield: this.#surface.shield,
        options,
        conversation: this.#shared.conversation,
        resourceUri: resource.uri,
        context: this.#context(),
        state: this.#keeper.record.state,
        events: {
          initialize: () => this.#reach("initialize"),
          initialized: () => this.#greet(session),
          sized: (size) => this.#apply(size),
          state: (state) => this.#keeper.keep({ state }),
          modelContext: (update) => {
            // A request that was pending when the view was stopped must not outlive it.
            if (session.isOver) return;
            const isLeaving = session !== this.#session;
            this.#modelContext.update(update, session.bridge.view, isLeaving);
          },
          granted: (granted) => this.#keeper.keep({ granted }),
          responding: (isResponding) => this.#respond(session, isResponding),
          stopped: (code, detail) => this.#stop(session, code, detail),
          failed: (code, detail) => this.#fail(code, detail),
          report: (level, code, detail, cause) => this.#report(level, code, detail, cause),
          emit: (event) => this.#emit(event),
        },
      });
      this.#session = session;
      this.#leaveLive = live.add(this, this.#surface.body);
      await session.bridge.connect(await frame.channel);
      // A fast view has already sent messages by now.
      if (this.stage === "sandbox") this.#reach("document");
    } catch (error) {
      if (life !== this.#life) return;
      this.#session?.end();
      this.#session = undefined;
      const { code = "sandbox-refused", detail, cause = error } = error as Failure;
      this.#fail(code, detail, cause);
    }
  }

  /** The handshake is complete: from here on the view may receive data and be visible. */
  #greet(session: ViewSession): void {
    const { input, result, cancelled } = this.#keeper.record;
    this.#reach("initialized");
    this.#surface.setModes(this.#modes());
    this.#surface.reveal();
    this.#greeted = session;
    this.#modelContext.restore(session.bridge.view);
    // In this order; the bridge enforces it as well.
    session.tell({ partialInput: this.#partialInput, input, result, cancelled });
    this.refreshContext();
  }

  #apply(size: AppliedSize): void {
    this.#surface.setSize(size);
    if (size.height !== undefined) this.#keeper.keep({ height: size.height });
    if (this.stage === "initialized") this.#reach("shown");
  }

  /** The model doesn't get the context of a view that may have crashed, until it responds. */
  #respond(session: ViewSession, isResponding: boolean): void {
    if (session !== this.#session) return;
    if (isResponding) this.#modelContext.restore(session.bridge.view);
    else this.#modelContext.hide();
    this.#surface.setResponding(isResponding);
  }

  #stop(session: ViewSession, code: DiagnosticCode, detail?: string): void {
    if (session !== this.#session) return;
    this.#session = undefined;
    session.end();
    this.#fail(code, detail);
  }

  /** The view isn't shown, but the tool's result always is. */
  #fail(code: DiagnosticCode, detail?: string, cause?: unknown): void {
    this.#clock?.stop();
    this.#started();
    const diagnostic = this.#report("error", code, detail, cause);
    const isContextRemoved = this.#modelContext.remove();
    const text = textOf(this.#keeper.record.result);
    this.#surface.showFallback(text, { diagnostic, isContextRemoved }, () => void this.reload());
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
      ...(this.#shared.conversation && { conversation: this.#shared.conversation }),
      view: this.key,
      server: this.app.upstream.server,
      ...(detail !== undefined && { detail }),
      ...(cause !== undefined && { cause }),
    };
    this.#shared.report(diagnostic);
    this.#emit({ type: "diagnostic", level, code });
    return diagnostic;
  }

  #emit(event: HostEventDetail): void {
    const { conversation, emit } = this.#shared;
    const { tool, upstream } = this.app;
    const source = { view: this.key, server: upstream.server, tool: tool.name };
    emit({ ...event, ...(conversation && { conversation }), ...source });
  }

  #reach(stage: Stage): void {
    this.#clock?.reach(stage);
    if (stage === "shown") this.#started();
    this.#emit({ type: "stage", stage, elapsed: this.#clock?.elapsed ?? 0 });
    for (const listener of this.#stageListeners) listener(stage);
  }

  /** The modes that both sides support (HST-58). */
  #modes(): McpUiDisplayMode[] {
    const offered = this.#shared.options.displayModes ?? ALL_MODES;
    return offered.filter((mode) => this.bridge?.canShowIn(mode) ?? true);
  }

  #context(): McpUiHostContext {
    const { options } = this.#shared;
    return { ...this.#shared.context(), ...contextOf(this.app, this.#surface, options) };
  }

  /** Reports when a view's HTML differs from the last time (HST-35). */
  #compare(resourceHash: string): void {
    const { restoreAnyVersion } = this.#shared.options;
    const before = this.#keeper.bind(resourceHash, restoreAnyVersion);
    if (before === undefined) return;
    this.#report("info", "resource-changed", `${before} → ${resourceHash}`);
    this.#modelContext.hide();
  }
}
