import type {
  HostNotifications,
  HostRequests,
  SandboxNotifications,
  ViewNotifications,
  ViewRequests,
} from "./method-types.ts";

/** A program at one end of a channel. */
export type Party = "view" | "host" | "sandbox";
/** Whether an answer is expected. */
export type MethodKind = "request" | "notification";
/** Where a method is defined: the dated text, the draft text, or only the official SDK. */
export type MethodSource = "stable" | "draft" | "sdk";

/** A capability that must have been declared in the handshake before a message may be sent. */
export type Gate =
  | `hostCapabilities.${"openLinks" | "downloadFile" | "message" | "updateModelContext" | "logging"}`
  | `hostCapabilities.${"serverTools" | "serverResources"}${"" | ".listChanged"}`
  | `hostCapabilities.sampling${"" | ".tools"}`
  | `appCapabilities.tools${"" | ".listChanged"}`;

/** One row of the method catalogue. */
export interface MethodRule {
  method: string;
  from: Party;
  to: Party;
  kind: MethodKind;
  since: MethodSource;
  gate?: Gate;
  /** The stable text defines the method but not its flag: a stable Host may handle it without declaring it. */
  gateSince?: MethodSource;
  /** Params that need a further capability. */
  paramGates?: Readonly<Record<string, Gate>>;
}

type Row<K extends MethodKind> = Omit<MethodRule, "method" | "from" | "to" | "kind"> & { kind: K };
type Rows<Requests, Notifications> = { [M in keyof Requests]: Row<"request"> } & {
  [M in keyof Notifications]: Row<"notification">;
};
type More = Partial<Pick<MethodRule, "gateSince" | "paramGates">>;

function request(since: MethodSource, gate?: Gate, more?: More): Row<"request"> {
  return { kind: "request", since, ...(gate && { gate }), ...more };
}

function notification(since: MethodSource, gate?: Gate): Row<"notification"> {
  return { kind: "notification", since, ...(gate && { gate }) };
}

const viewToHost: Rows<ViewRequests, ViewNotifications> = {
  "ui/initialize": request("stable"),
  "ui/notifications/initialized": notification("stable"),
  "ui/open-link": request("stable", "hostCapabilities.openLinks"),
  "ui/message": request("stable", "hostCapabilities.message", { gateSince: "draft" }),
  "ui/update-model-context": request("stable", "hostCapabilities.updateModelContext", {
    gateSince: "draft",
  }),
  // Gated by display modes on both sides, not by a capability: see HST-60 and VEW-04.
  "ui/request-display-mode": request("stable"),
  "ui/download-file": request("draft", "hostCapabilities.downloadFile"),
  "ui/notifications/size-changed": notification("stable"),
  "ui/notifications/request-teardown": notification("draft"),
  "tools/call": request("stable", "hostCapabilities.serverTools"),
  "tools/list": request("draft", "hostCapabilities.serverTools"),
  "resources/read": request("stable", "hostCapabilities.serverResources"),
  "resources/list": request("sdk", "hostCapabilities.serverResources"),
  "resources/templates/list": request("sdk", "hostCapabilities.serverResources"),
  // No flag exists for prompts; a Host that does not proxy them answers "method not found".
  "prompts/list": request("sdk"),
  "sampling/createMessage": request("draft", "hostCapabilities.sampling", {
    paramGates: {
      tools: "hostCapabilities.sampling.tools",
      toolChoice: "hostCapabilities.sampling.tools",
    },
  }),
  "notifications/message": notification("stable", "hostCapabilities.logging"),
  "notifications/tools/list_changed": notification("draft", "appCapabilities.tools.listChanged"),
  "notifications/progress": notification("sdk"),
  "notifications/cancelled": notification("sdk"),
  ping: request("stable"),
};

const hostToView: Rows<HostRequests, HostNotifications> = {
  "ui/notifications/tool-input-partial": notification("stable"),
  "ui/notifications/tool-input": notification("stable"),
  "ui/notifications/tool-result": notification("stable"),
  "ui/notifications/tool-cancelled": notification("stable"),
  "ui/notifications/host-context-changed": notification("stable"),
  "ui/resource-teardown": request("stable"),
  "tools/call": request("draft", "appCapabilities.tools"),
  "tools/list": request("draft", "appCapabilities.tools"),
  "notifications/tools/list_changed": notification(
    "draft",
    "hostCapabilities.serverTools.listChanged",
  ),
  "notifications/resources/list_changed": notification(
    "sdk",
    "hostCapabilities.serverResources.listChanged",
  ),
  "notifications/prompts/list_changed": notification("sdk"),
  "notifications/progress": notification("sdk"),
  "notifications/cancelled": notification("sdk"),
  ping: request("stable"),
};

const sandboxToHost: Rows<
  {},
  Pick<SandboxNotifications, "ui/notifications/sandbox-proxy-ready">
> = {
  "ui/notifications/sandbox-proxy-ready": notification("stable"),
};

const hostToSandbox: Rows<{}, Omit<SandboxNotifications, keyof typeof sandboxToHost>> = {
  "ui/notifications/sandbox-resource-ready": notification("stable"),
};

function rules(from: Party, to: Party, rows: Record<string, Row<MethodKind>>): MethodRule[] {
  return Object.entries(rows).map(([method, row]) => ({ method, from, to, ...row }));
}

/** Every message that a View, a Sandbox or a Host may send. */
export const METHODS: readonly MethodRule[] = [
  ...rules("view", "host", viewToHost),
  ...rules("host", "view", hostToView),
  ...rules("sandbox", "host", sandboxToHost),
  ...rules("host", "sandbox", hostToSandbox),
];

// A Map, because method names are hostile: `__proto__` and `constructor` must find nothing.
const bySender: ReadonlyMap<string, MethodRule> = new Map(
  METHODS.map((rule) => [`${rule.from} ${rule.method}`, rule]),
);

/** The rule for a method as sent by one party, or `undefined` if that party may not send it. */
export function findMethod(from: Party, method: string): MethodRule | undefined {
  return bySender.get(`${from} ${method}`);
}
