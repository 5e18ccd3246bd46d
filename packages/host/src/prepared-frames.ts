import { toolResourceUri } from "@vitrine/protocol/apps/discovery";
import { type Frame, openFrame } from "./frame/frame.ts";
import { type FrameOwner, frameOptions } from "./frame/frame-options.ts";
import type { AppRequest } from "./hosted-view.ts";
import type { UiResource, UiResourceReader } from "./resources/ui-resource.ts";
import { canMove } from "./surface/frame-moves.ts";
import type { Surface } from "./surface/surface.ts";

/** A frame that waits for its view to be mounted. */
export interface PreparedFrame {
  resource: UiResource;
  surface: Surface;
  frame: Frame;
}

/** The part of a call that is known before it is made. */
export type PreparedApp = Pick<AppRequest, "upstream" | "tool">;

/** Frames that are loaded before their tool has run. */
export interface PreparedFrames {
  prepare(app: PreparedApp): Promise<void>;
  /** Returns each prepared frame at most once. */
  take(app: PreparedApp): PreparedFrame | undefined;
  close(): void;
}

interface Options extends FrameOwner {
  resources: UiResourceReader;
  createSurface(app: PreparedApp): Surface;
}

// Long enough for a model to decide, and no longer: each takes a process.
const KEPT = 9 * 60_000;

/**
 * Keeps relay pages with the view's document loaded and held, which is most of a view's start-up
 * time. No code of the view runs before it is mounted.
 */
export function createPreparedFrames(options: Options): PreparedFrames {
  const { resources } = options;
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
      // A frame that can't be moved without reloading would only be loaded twice.
      if (waiting.has(name) || !canMove()) return;
      const surface = options.createSurface(app);
      surface.detach();
      const frame = openFrame(surface.body, {
        ...frameOptions(options, app, resource),
        hold: true,
      });
      waiting.set(name, { resource, surface, frame });
      setTimeout(() => waiting.get(name)?.frame === frame && drop(name), KEPT);
      try {
        await frame.held;
      } catch {
        // The view will be loaded the usual way and report the failure there.
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
