// Spellings of views from before the stable release. They are accepted, never emitted, and reported
// in a diagnostic so that authors can fix them.

import {
  INITIALIZE_METHOD,
  LATEST_PROTOCOL_VERSION,
  MESSAGE_METHOD,
  REQUEST_DISPLAY_MODE_METHOD,
  SIZE_CHANGED_METHOD,
} from "@vitrine/protocol/apps";

type Fields = Record<string, unknown>;

/** Params in today's form, and the older spellings found. */
export interface Reading {
  params: unknown;
  older?: string;
}

const MODES = ["inline", "fullscreen", "pip"];

/** The method that a notification stands for. */
export function readMethod(method: string): string {
  return /^ui\/(size-change|resize)$/.test(method) ? SIZE_CHANGED_METHOD : method;
}

/** Reads the params of a request; validation checks everything that isn't an older spelling. */
export function readParams(method: string, params: unknown): Reading {
  if (typeof params !== "object" || params === null) return { params };
  if (method === INITIALIZE_METHOD) return readHello(params as Fields);
  const { content, mode } = params as Fields;
  if (method === MESSAGE_METHOD && typeof content === "object" && !Array.isArray(content)) {
    return { params: { ...params, content: [content] }, older: "content as an object" };
  }
  if (method === REQUEST_DISPLAY_MODE_METHOD && mode === "picture-in-picture") {
    return { params: { mode: "pip" }, older: `mode "${mode}"` };
  }
  return { params };
}

function readHello(hello: Fields): Reading {
  const {
    clientInfo = { name: "unknown", version: "0" },
    capabilities = {},
    appInfo = clientInfo,
    appCapabilities = capabilities,
    protocolVersion = LATEST_PROTOCOL_VERSION,
  } = hello;
  const missing = ["appInfo", "appCapabilities", "protocolVersion"].filter(
    (key) => !(key in hello),
  );
  const params = { appInfo, appCapabilities: readModes(appCapabilities), protocolVersion };
  return { params, ...(missing[0] && { older: `no ${missing.join(", ")}` }) };
}

/** An unknown mode must not prevent a view from starting: we just don't offer it. */
function readModes(capabilities: unknown): unknown {
  const { availableDisplayModes: modes } = (capabilities ?? {}) as Fields;
  if (!Array.isArray(modes)) return capabilities;
  const known = modes.map((mode) => (mode === "picture-in-picture" ? "pip" : mode));
  const availableDisplayModes = known.filter((mode) => MODES.includes(mode));
  return { ...(capabilities as Fields), availableDisplayModes };
}
