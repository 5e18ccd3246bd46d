import { afterEach, beforeEach } from "vitest";
import type { Diagnostic, Stage } from "../src/diagnostic.ts";
import type { ShowingHost, ShownView } from "../src/element.ts";
import type { AppRequest, ToolData } from "../src/hosted-view.ts";
import type { Upstream } from "../src/upstreams/upstream.ts";

/** Which View; another key is another one. */
export function appOf(key: string): AppRequest {
  const tool = { name: "pay", inputSchema: { type: "object" as const } };
  return { key, tool, upstream: { server: "Billing" } as Upstream };
}

/** A View that has a real frame and does nothing with it; it keeps the data it received. */
export class ScriptedView implements ShownView {
  readonly frame: HTMLIFrameElement = document.createElement("iframe");
  readonly told: ToolData[] = [];
  /** Whether it was still in the page each time it was to leave it. */
  readonly leaves: boolean[] = [];
  readonly #lot: HTMLElement;
  readonly #onStage = new Set<(stage: Stage) => void>();
  readonly #onClose = new Set<() => void>();
  stage: Stage = "resource";
  hasFallback = false;
  container: HTMLElement | undefined;

  constructor(lot: HTMLElement) {
    this.#lot = lot;
  }

  attach(container: HTMLElement): void {
    this.container = container;
    if (this.frame.isConnected) container.moveBefore(this.frame, null);
    else container.append(this.frame);
  }

  detach(container = this.container): void {
    if (container !== this.container) return;
    this.container = undefined;
    this.leaves.push(this.frame.isConnected);
    if (this.frame.isConnected) this.#lot.moveBefore(this.frame, null);
  }

  async reload(): Promise<void> {
    this.reach("resource");
  }

  update(data: ToolData): void {
    this.told.push(data);
  }

  onStage(listener: (stage: Stage) => void): () => void {
    this.#onStage.add(listener);
    return () => this.#onStage.delete(listener);
  }

  onClose(listener: () => void): () => void {
    this.#onClose.add(listener);
    return () => this.#onClose.delete(listener);
  }

  reach(stage: Stage): void {
    this.stage = stage;
    for (const listener of this.#onStage) listener(stage);
  }

  close(): void {
    for (const listener of this.#onClose) listener();
  }

  /** Marks the document, or returns whether it still has the mark, which a reload removes. */
  get mark(): boolean {
    return (this.frame.contentWindow as { mark?: boolean } | null)?.mark === true;
  }
  set mark(value: boolean) {
    Object.assign(this.frame.contentWindow ?? {}, { mark: value });
  }

  get listeners(): number {
    return this.#onStage.size + this.#onClose.size;
  }
}

/** Shows scripted views, and counts. */
export class ScriptedHost implements ShowingHost {
  readonly views = new Map<string, ScriptedView>();
  readonly mounts: string[] = [];
  readonly listeners = new Set<(diagnostic: Diagnostic) => void>();
  readonly lot: HTMLElement = document.body.appendChild(document.createElement("div"));

  mount(container: HTMLElement, { key }: AppRequest): ScriptedView {
    this.mounts.push(key);
    const view = this.views.get(key) ?? new ScriptedView(this.lot);
    this.views.set(key, view);
    view.attach(container);
    return view;
  }

  onDiagnostic(listener: (diagnostic: Diagnostic) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  report(view: string, more: Partial<Diagnostic> = {}): void {
    const usual = { level: "warning", stage: "shown", code: "blocked", elapsed: 1, view };
    const diagnostic = { ...usual, ...more };
    for (const listener of this.listeners) listener(diagnostic as Diagnostic);
  }

  view(key = "a"): ScriptedView {
    const view = this.views.get(key);
    if (!view) throw new Error(`No View "${key}" was mounted.`);
    return view;
  }
}

/** A fresh host and a fresh place in the page for each test. */
export function openElementStage(): { readonly host: ScriptedHost; readonly place: HTMLElement } {
  let host = new ScriptedHost();
  let place = document.createElement("main");
  beforeEach(() => {
    host = new ScriptedHost();
    place = document.body.appendChild(document.createElement("main"));
  });
  afterEach(() => {
    place.remove();
    host.lot.remove();
  });
  return {
    get host() {
      return host;
    },
    get place() {
      return place;
    },
  };
}

/** Lets what was scheduled happen. */
export async function settled(): Promise<void> {
  await new Promise(requestAnimationFrame);
  await new Promise((resolve) => setTimeout(resolve));
}
