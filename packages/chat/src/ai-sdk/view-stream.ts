import type { OpenedView, ViewTool } from "@vitrine/host/remote";
import { toolResourceUri } from "@vitrine/protocol/apps/discovery";
import type { UIMessageChunk } from "ai";
import type { ModelTool } from "../server/model-tools.ts";
import { VIEW_PART } from "./view-parts.ts";

/** Options of `withViews`. */
export interface WithViewsOptions {
  /** `modelTools` of `prepareTurn`. */
  modelTools: ReadonlyMap<string, ModelTool>;
  /** Opens a view: `(view) => handler.open(user, view)`. */
  open(view: ViewTool): Promise<OpenedView>;
}

const LAST_WAIT = 2000;

/**
 * Adds the HTML of views to a stream for the page, as soon as the model begins to call their tools. The
 * page then sends no request for it. The parts are transient: messages don't keep them.
 */
export function withViews(
  stream: ReadableStream<UIMessageChunk>,
  { modelTools, open }: WithViewsOptions,
): ReadableStream<UIMessageChunk> {
  const opened = new Set<string>();
  const pending = new Set<Promise<void>>();
  return stream.pipeThrough(
    new TransformStream<UIMessageChunk, UIMessageChunk>({
      transform: (chunk, controller) => {
        controller.enqueue(chunk);
        if (chunk.type !== "tool-input-start" && chunk.type !== "tool-input-available") return;
        const found = modelTools.get(chunk.toolName);
        const hasView = found && toolResourceUri(found.tool).uri !== undefined;
        if (!hasView || opened.has(chunk.toolName)) return;
        opened.add(chunk.toolName);
        // If it can't be opened, the page asks for it and shows why.
        const work = open({ server: found.server, tool: found.tool.name })
          .then((data) => controller.enqueue({ type: VIEW_PART, data, transient: true } as never))
          .catch(() => {})
          .finally(() => pending.delete(work));
        pending.add(work);
      },
      // The end of the answer doesn't wait for a slow server.
      flush: async () => {
        const late = new Promise((resolve) => setTimeout(resolve, LAST_WAIT));
        await Promise.race([Promise.all(pending), late]);
      },
    }),
  );
}
