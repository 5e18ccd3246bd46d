// Older Views, kept because conversations outlive deployments: a host that reopens one asks for the
// address it was shown with, and pages that were cached go on pointing at it.

import type { McpUiResourceMeta } from "@vitrine/protocol/apps";

/** One version of a View: all that is needed to serve it again. */
export interface StoredView {
  html: string;
  /** Normalised. */
  meta: McpUiResourceMeta;
}

/** Where older versions are. Two functions over any store that several instances share will do. */
export interface ViewVersions {
  /** Keeps a version; called once for each that is served. */
  keep(app: string, hash: string, view: StoredView): void | Promise<void>;
  /** A version that was kept, perhaps by another instance. */
  find(app: string, hash: string): StoredView | undefined | Promise<StoredView | undefined>;
}

/** How much is kept in memory. */
export interface MemoryVersionsOptions {
  /** Versions of each app; default 20. */
  limit?: number | undefined;
}

/** Versions of this process alone: for views that change while it runs, and for tests. */
export function memoryVersions({ limit = 20 }: MemoryVersionsOptions = {}): ViewVersions {
  const apps = new Map<string, Map<string, StoredView>>();
  return {
    keep(app, hash, view) {
      const versions = apps.get(app) ?? new Map<string, StoredView>();
      apps.set(app, versions);
      // The one kept last is the newest, also when it was here before.
      versions.delete(hash);
      versions.set(hash, view);
      for (const oldest of versions.keys()) {
        if (versions.size <= limit) break;
        versions.delete(oldest);
      }
    },
    find: (app, hash) => apps.get(app)?.get(hash),
  };
}
