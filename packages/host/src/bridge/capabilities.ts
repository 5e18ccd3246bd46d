import type {
  McpUiHostCapabilities,
  McpUiSupportedContentBlockModalities,
  ViewNotifications,
  ViewRequests,
} from "@vitrine/protocol/apps";
import type { UpstreamCapabilities } from "../upstreams/upstream.ts";

/** The inputs for a host's capabilities. */
export interface CapabilitySources {
  /**
   * Parameters: content types, whether lists change, extensions. Entries without a handler are left
   * out.
   */
  given: McpUiHostCapabilities;
  handles(method: keyof (ViewRequests & ViewNotifications)): boolean;
  /** The capabilities of the view's server. */
  server: UpstreamCapabilities;
  /** Methods of extensions that have a handler. */
  extensions: readonly string[];
}

type Modalities = McpUiSupportedContentBlockModalities;
type Changing = { listChanged?: boolean } | undefined;

const MODALITIES: ReadonlyArray<keyof Modalities> = [
  "text",
  "image",
  "audio",
  "resource",
  "resourceLink",
  "structuredContent",
];

/** Presence is an object: a boolean instead makes official views reject the handshake. */
function modalities(given: Modalities): Modalities {
  return Object.fromEntries(MODALITIES.filter((key) => given[key]).map((key) => [key, {}]));
}

function changing(list: Changing): { listChanged?: boolean } {
  return list?.listChanged ? { listChanged: true } : {};
}

/**
 * The capabilities for a view: only what really has a handler at this moment (HST-82). Every message
 * handler accepts text; other content must be declared.
 */
export function deriveCapabilities(sources: CapabilitySources): McpUiHostCapabilities {
  const { given, handles, server, extensions } = sources;
  const experimental = { ...given.experimental };
  for (const method of extensions) experimental[method] ??= {};
  const text = { text: {} };
  const offered: [keyof McpUiHostCapabilities, unknown, object | undefined][] = [
    [
      "serverTools",
      server.tools ?? handles("tools/call"),
      changing(server.tools ?? given.serverTools),
    ],
    [
      "serverResources",
      server.resources ?? handles("resources/read"),
      changing(server.resources ?? given.serverResources),
    ],
    ["openLinks", handles("ui/open-link"), {}],
    ["downloadFile", handles("ui/download-file"), {}],
    ["logging", handles("notifications/message"), {}],
    ["message", handles("ui/message"), modalities(given.message ?? text)],
    [
      "updateModelContext",
      handles("ui/update-model-context"),
      modalities(given.updateModelContext ?? { ...text, structuredContent: {} }),
    ],
    ["sampling", handles("sampling/createMessage"), given.sampling?.tools ? { tools: {} } : {}],
    ["sandbox", given.sandbox, given.sandbox],
    ["experimental", Object.keys(experimental).length, experimental],
  ];
  return Object.fromEntries(
    offered.filter(([, has]) => has).map(([name, , value]) => [name, value]),
  );
}
