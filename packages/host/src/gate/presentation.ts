// Strict in what we emit: an official view rejects the handshake or drops a notification for one
// unknown key. So the host's data is checked key by key, and keys that no view could read are left
// out and reported.

import {
  type CallToolResult,
  HOST_CONTEXT_CHANGED_METHOD,
  INITIALIZE_METHOD,
  isStyleVariable,
  LATEST_PROTOCOL_VERSION,
  type McpUiHostCapabilities,
  type McpUiHostContext,
  type McpUiHostStyles,
  type McpUiInitializeResult,
  SUPPORTED_PROTOCOL_VERSIONS,
  TOOL_CANCELLED_METHOD,
  TOOL_INPUT_METHOD,
  TOOL_RESULT_METHOD,
} from "@vitrine/protocol/apps";
import {
  describeMismatch,
  type Mismatch,
  validateNotification,
  validateResult,
} from "@vitrine/protocol/apps/validation";

/** Called with each omission and its reason. */
export type OnLeftOut = (what: string) => void;

type Check = (value: object) => { ok: true; value: object } | Mismatch;

const strict = { strict: true };
const TOOL_KEYS =
  "name title description inputSchema outputSchema annotations execution icons _meta".split(" ");

function pick(value: object, keep: (key: string, item: unknown) => boolean): object {
  return Object.fromEntries(Object.entries(value).filter(([key, item]) => keep(key, item)));
}

/** The keys of an object that pass the check individually. */
function sift(value: object, check: Check, onLeftOut: OnLeftOut): object {
  const sifted = {};
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const checked = check({ [key]: item });
    if (checked.ok) Object.assign(sifted, checked.value);
    else onLeftOut(describeMismatch(checked));
  }
  return sifted;
}

/** The host's side of the handshake; official views need all four fields (HST-40). */
export function presentHello(
  hello: McpUiInitializeResult,
  onLeftOut: OnLeftOut,
): McpUiInitializeResult {
  const { protocolVersion, hostCapabilities, hostContext } = hello;
  return {
    ...hello,
    protocolVersion: SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion)
      ? protocolVersion
      : LATEST_PROTOCOL_VERSION,
    hostCapabilities: presentCapabilities(hostCapabilities, onLeftOut),
    hostContext: presentContext(hostContext, onLeftOut),
  };
}

function presentCapabilities(
  capabilities: McpUiHostCapabilities,
  onLeftOut: OnLeftOut,
): McpUiHostCapabilities {
  const hello = { protocolVersion: "", hostInfo: { name: "", version: "" }, hostContext: {} };
  return sift(
    capabilities,
    (hostCapabilities) => {
      const checked = validateResult(INITIALIZE_METHOD, { ...hello, hostCapabilities }, strict);
      return checked.ok ? { ok: true, value: checked.value.hostCapabilities } : checked;
    },
    onLeftOut,
  );
}

/** A host context, whole or partial, as a view can read it. */
export function presentContext(context: McpUiHostContext, onLeftOut: OnLeftOut): McpUiHostContext {
  const { styles, toolInfo, availableDisplayModes: modes } = context;
  const tidy: McpUiHostContext = {
    ...context,
    ...(styles && { styles: presentStyles(styles, onLeftOut) }),
    // Servers add their own keys to tools, and the schema doesn't allow them.
    ...(toolInfo?.tool && {
      toolInfo: {
        ...toolInfo,
        tool: pick(toolInfo.tool, (key) => TOOL_KEYS.includes(key)) as never,
      },
    }),
    ...(Array.isArray(modes) && {
      availableDisplayModes: modes.filter((mode) => ["inline", "fullscreen", "pip"].includes(mode)),
    }),
  };
  const check: Check = (part) =>
    validateNotification("host", HOST_CONTEXT_CHANGED_METHOD, part, strict);
  return sift(tidy, check, onLeftOut) as McpUiHostContext;
}

function presentStyles(styles: McpUiHostStyles, onLeftOut: OnLeftOut): McpUiHostStyles {
  const { variables } = styles;
  if (!variables) return styles;
  const known = pick(variables, (key, value) => {
    const isKnown = isStyleVariable(key);
    if (!isKnown) onLeftOut(`styles.variables: ${key} isn't in the specification`);
    return isKnown && value !== undefined;
  });
  return { ...styles, variables: known as NonNullable<McpUiHostStyles["variables"]> };
}

/** The data of a tool call, as a view can read them. */
export function presentToolData(method: string, params: object, onLeftOut: OnLeftOut): object {
  if (method === TOOL_RESULT_METHOD) return presentResult(params as CallToolResult, onLeftOut);
  if (method !== TOOL_CANCELLED_METHOD) return presentInput(params, onLeftOut);
  const { reason } = (params ?? {}) as { reason?: unknown };
  return typeof reason === "string" ? { reason } : {};
}

/** Arguments of a tool; omitted if they aren't an object (official views reject null). */
function presentInput(params: object, onLeftOut: OnLeftOut): object {
  const { arguments: args } = (params ?? {}) as { arguments?: unknown };
  const checked = validateNotification("host", TOOL_INPUT_METHOD, args ? { arguments: args } : {});
  if (checked.ok) return checked.value;
  onLeftOut(describeMismatch(checked));
  return {};
}

/**
 * A tool's result, unmodified if a view can read it (HST-47). Unreadable content is left out. A
 * result that can't be sent at all is replaced by an error, because the view waits for one.
 */
function presentResult(result: CallToolResult, onLeftOut: OnLeftOut): CallToolResult {
  const check = (value: object) => validateNotification("host", TOOL_RESULT_METHOD, value);
  const whole = check(result);
  if (whole.ok) return whole.value;
  onLeftOut(describeMismatch(whole));
  const blocks: unknown = result?.content;
  const content = Array.isArray(blocks) ? blocks.filter((it) => check({ content: [it] }).ok) : [];
  const rest = check({ ...result, content });
  if (rest.ok) return rest.value;
  const text = `The tool's result can't be shown. ${describeMismatch(rest)}`;
  return { isError: true, content: [{ type: "text", text }] };
}
