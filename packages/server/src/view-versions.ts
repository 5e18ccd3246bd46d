// Keeps older views, because conversations outlive deployments: a host that reopens one requests the
// address it was shown with, and cached pages still refer to it.

import type { McpUiResourceMeta } from "@vitrine/protocol/apps";

/** One version of a view: everything needed to serve it again. */
export interface StoredView {
  html: string;
  /** Normalised. */
  meta: McpUiResourceMeta;
}

/**
 * Where older versions are stored. Two functions over any store that several instances share are
 * enough.
 */
export interface ViewVersions {
  /** Stores a version; called once for each that is served. */
  keep(app: string, hash: string, view: StoredView): void | Promise<void>;
  /** A stored version, perhaps from another instance. */
  find(app: string, hash: string): StoredView | undefined | Promise<StoredView | undefined>;
}

/** How much is kept in memory. */
export interface MemoryVersionsOptions {
  /** Versions per app; default 20. */
  limit?: number | undefined;
}

/** Versions of this process only: for views that change while it runs, and for tests. */
export function memoryVersions({ limit = 20 }: MemoryVersionsOptions = {}): ViewVersions {
  const apps = new Map<string, Map<string, StoredView>>();
  return {
    keep(app, hash, view) {
      const versions = apps.get(app) ?? new Map<string, StoredView>();
      apps.set(app, versions);
      // The last one stored is the newest, even if it was stored before.
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
