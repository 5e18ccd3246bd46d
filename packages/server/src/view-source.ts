import type { McpUiResourceMeta } from "@vitrine/protocol/apps";

/** A View as a Server serves it: its document and what it declares. */
export interface ViewSource {
  /** The whole HTML5 document. Called at registration (for the hash) and cached. */
  html(): string;
  /** `_meta.ui` of the resource, as the author wrote it; normalised at registration. */
  meta?: McpUiResourceMeta;
  /** Text for the model, made of a result, where the author wrote none. */
  describe?(structuredContent: unknown): string;
}
