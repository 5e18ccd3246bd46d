import { toolResourceUri } from "@vitrine/protocol/apps/discovery";
import { type Frame, openFrame, type SandboxAddress } from "./frame/frame.ts";
import type { AppRequest } from "./host.ts";
import type { UiResource, UiResourceCache } from "./resources/ui-resource.ts";
import { canMove, type Surface } from "./surface/surface.ts";

/** A frame that waits for its View to be wanted. */
export interface PreparedFrame {
  resource: UiResource;
  surface: Surface;
  frame: Frame;
}

/** The part of a call that is known before it is made. */
export type PreparedApp = Pick<AppRequest, "upstream" | "tool">;

/** What a tool's View can have ready before the tool has run. */
export interface PreparedFrames {
  prepare(app: PreparedApp): Promise<void>;
  /** At most once for each that was prepared. */
  take(app: PreparedApp): PreparedFrame | undefined;
  close(): void;
}

interface Options {
  sandbox: SandboxAddress;
  tenant?: string | undefined;
  user?: string | undefined;
  resources: UiResourceCache;
  createSurface(app: PreparedApp): Surface;
}

// Long enough for a model to make up its mind, and no longer: each costs a process.
const KEPT = 9 * 60_000;

/**
 * Keeps relay pages with the View's document behind them, loaded and held: what costs most of a
 * View's start. Nothing of the View runs before it is wanted.
 */
export function createPreparedFrames(options: Options): PreparedFrames {
  const { sandbox, tenant, user, resources } = options;
  const waiting = new Map<string, PreparedFrame>();
  const drop = (name: string): void => {
    const prepared = waiting.get(name);
    waiting.delete(name);
    prepared?.frame.close();
    prepared?.surface.close();
  };
  const nameOf = ({ upstream, tool }: PreparedApp): string =>
    JSON.stringify([upstream.server, tool.name]);

  return {
    prepare: async (app) => {
      const { upstream, tool } = app;
      const { uri } = toolResourceUri(tool);
      if (!uri) return;
      const resource = await resources.read(upstream, uri);
      const name = nameOf(app);
      // A frame that cannot be moved alive to its place would only be loaded twice.
      if (waiting.has(name) || !canMove()) return;
      const surface = options.createSurface(app);
      surface.park();
      const identity = { server: upstream.server, resource: uri, tenant, user };
      const title = tool.title ?? tool.name;
      const frame = openFrame(surface.body, { sandbox, resource, identity, title, hold: true });
      waiting.set(name, { resource, surface, frame });
      setTimeout(() => waiting.get(name)?.frame === frame && drop(name), KEPT);
      try {
        await frame.held;
      } catch {
        // The View will be loaded the usual way, and say what is wrong there.
        drop(name);
      }
    },
    take: (app) => {
      const name = nameOf(app);
      const prepared = waiting.get(name);
      waiting.delete(name);
      return prepared;
    },
    close: () => {
      for (const name of waiting.keys()) drop(name);
    },
  };
}
