// A conversation and everything that belongs to it: views, their records, their model context, and the
// answers that hold for it alone. They are deleted together.

import type { Diagnostic } from "../diagnostic.ts";
import type { AppRequest, HostedView } from "../hosted-view.ts";
import { createModelContext, type ModelContext } from "../model/model-context.ts";
import { createFloatingPlace } from "../surface/floating-place.ts";
import { type Shared, ViewController } from "../view-controller.ts";
import { type RecordOwner, storeKeyOf, type ViewRecord } from "../view-record.ts";
import type { ConversationRecords, StoredRecords } from "./stored-records.ts";

/** One conversation of a page. `host.conversation(id)` returns it. */
export interface Conversation {
  readonly id: string;
  /** What this conversation's views told the model, also while the page doesn't show them. */
  readonly modelContext: ModelContext;
  /** The views that are mounted, by key. */
  readonly views: ReadonlyMap<string, HostedView>;
  /**
   * Resolves when the stored model context is loaded. Wait for it before the first turn of the model
   * after a reload: views that aren't mounted yet may have told the model something.
   */
  readonly ready: Promise<void>;
  /** Shows a view in an element. A view that is shown elsewhere under the same key moves here. */
  mount(container: HTMLElement, app: AppRequest): HostedView;
  /** Reports every failure of its views, and hints for authors. */
  onDiagnostic(listener: (diagnostic: Diagnostic) => void): () => void;
  /** Removes a view, its record and its model context, because its message was deleted. */
  forget(key: string): Promise<void>;
  /** The records of all views, to store them on a server. */
  exportRecords(): Promise<ConversationRecords>;
  /**
   * Stores records that `exportRecords` returned, unless this page has newer ones. Records of another
   * conversation or user are ignored.
   */
  importRecords(records: ConversationRecords): Promise<void>;
  /** Closes the views and keeps their records. Idempotent. */
  close(): Promise<void>;
  /** Closes the views and deletes their records, their model context and the user's answers. */
  delete(): Promise<void>;
}

/** What a host gives to each of its conversations. */
export interface ConversationOptions
  extends Omit<Shared, "conversation" | "modelContext" | "floating"> {
  /** Called before a view is mounted. */
  onMount(): void;
  onClose(): void;
}

/** A conversation with the parts of its views that only the host uses. */
export interface OwnedConversation extends Conversation {
  readonly views: ReadonlyMap<string, ViewController>;
}

/** Creates a conversation and loads its stored model context. */
export function createConversation(id: string, options: ConversationOptions): OwnedConversation {
  const { store } = options;
  const { tenant, user } = options.options;
  const owner: RecordOwner = { version: 3, conversation: id, tenant, user };
  const views = new Map<string, ViewController>();
  const modelContext = createModelContext({ isDroppable: (key) => !views.has(key) });
  const listeners = new Set<(diagnostic: Diagnostic) => void>();
  const shared: Shared = {
    ...options,
    conversation: id,
    modelContext,
    floating: createFloatingPlace(),
    report: (diagnostic) => {
      for (const listener of [...listeners]) listener(diagnostic);
      options.report(diagnostic);
    },
  };
  // Aborted when a view's record is deleted.
  const lives = new Map<string, AbortController>();
  const discard = (key: string): void => {
    lives.get(key)?.abort();
    lives.delete(key);
    modelContext.delete(key);
  };
  let isDeleted = false;

  /** A mounted view restores its own context, once its document is known to be the same. */
  const restore = (
    key: string,
    { server, resourceUri, modelContext: update }: ViewRecord,
  ): void => {
    if (!update || views.has(key) || isDeleted) return;
    try {
      modelContext.set(key, update, { server, resourceUri });
    } catch {
      // There is no room for it, or it isn't what a view may send.
    }
  };
  // Loaded when needed: a page with a new conversation has no records.
  const stored = async (): Promise<StoredRecords> => {
    const { openRecords } = await import("./stored-records.ts");
    return openRecords(store, owner);
  };
  const closeViews = async (): Promise<void> => {
    options.onClose();
    await Promise.all([...views.values()].map((view) => view.close()));
  };

  return {
    id,
    modelContext,
    views,
    ready: (async () => {
      for (const [key, record] of await (await stored()).all()) restore(key, record);
    })().catch(() => {
      // A store that fails has no records.
    }),
    mount: (container, app) => {
      options.onMount();
      let view = views.get(app.key);
      if (!view) {
        const life = lives.get(app.key) ?? new AbortController();
        lives.set(app.key, life);
        view = new ViewController(app, shared, life.signal);
        views.set(app.key, view);
        const mounted = view;
        // The next view of the same key may be mounted while this one is torn down.
        view.onClose(() => views.get(app.key) === mounted && views.delete(app.key));
      }
      view.attach(container);
      return view;
    },
    onDiagnostic: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    forget: async (key) => {
      const closing = views.get(key)?.close();
      discard(key);
      await closing;
      await store.delete(storeKeyOf(id, key));
    },
    exportRecords: async () => {
      return { version: 1, views: Object.fromEntries(await (await stored()).all()) };
    },
    importRecords: async (records) => {
      const isNew = (key: string): boolean => !views.has(key);
      const added = await (await stored()).add(records, isNew);
      for (const [key, record] of added) restore(key, record);
    },
    close: closeViews,
    delete: async () => {
      isDeleted = true;
      const closing = closeViews();
      for (const key of [...lives.keys(), ...modelContext.snapshot().map(({ key }) => key)]) {
        discard(key);
      }
      await closing;
      await (await stored()).clear();
      const { forgetAnswersOf } = await import("../consent/host-consent.ts");
      await forgetAnswersOf(options.options, id);
    },
  };
}
