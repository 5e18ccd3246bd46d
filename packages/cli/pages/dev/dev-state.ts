import type { Stage } from "@vitrine/host";
import type { Progress } from "@vitrine/protocol";
import type { CallToolResult, McpUiDisplayMode, Tool } from "@vitrine/protocol/apps";
import type { Scenario } from "@vitrine/testing";
import type { HostProfile } from "../../src/dev/host-profile.ts";
import type {
  AutoViewMode,
  BlankReason,
  BlockedReport,
  DevChatState,
  ServerChoice,
  ServerLoginState,
  ServerStatus,
  Verdict,
} from "../../src/dev/page-protocol.ts";
import type { ViewProblem } from "../../src/frame/view-problem.ts";
import type { Question } from "../../src/questions/question.ts";
import type { ExplainedDiagnostic } from "./explanation.ts";
import type { Settings } from "./settings.ts";
import type { ViewInside } from "./view-inside.ts";

/** One call of a tool. */
export interface Run {
  /** Unique in this page. */
  id: number;
  /** When it began, in milliseconds since 1970. */
  at: number;
  tool: Tool;
  arguments: Record<string, unknown>;
  state: "writing" | "running" | "done" | "failed" | "cancelled";
  result?: CallToolResult;
  /** The result was too large to keep after other runs. */
  isShortened?: boolean;
  /** Why the call returned no result. */
  error?: string;
  /** The scenario that answers instead of the server. */
  scenario?: Scenario;
  /** The last report of the running tool. */
  progress?: Progress;
  /** Milliseconds that the server took. */
  elapsed?: number;
}

/** A view's log entry. */
export interface LogEntry {
  level: string;
  text: string;
  /** The author's file and line. */
  where?: string;
}

/** The selected tool. */
export interface Selection {
  tool: string;
  /** What its form is filled with; without it, what the user typed last. */
  input?: Record<string, unknown>;
  /** Another number fills the form again. */
  edition: number;
}

/** Everything that the page shows. */
export interface DevState {
  /** Whether the process behind the page is connected. */
  isConnected: boolean;
  status: ServerStatus | undefined;
  profiles: readonly HostProfile[];
  autoViewMode: AutoViewMode;
  tools: readonly Tool[];
  toolsError: string | undefined;
  /** The tool whose form is shown; without it, the first one with a view. */
  selection: Selection | undefined;
  settings: Settings;
  run: Run | undefined;
  /** The runs since the page was opened, oldest first. */
  history: readonly Run[];
  stage: Stage | undefined;
  displayMode: McpUiDisplayMode;
  diagnostics: readonly ExplainedDiagnostic[];
  blocked: readonly BlockedReport[];
  /** Why the view never connected, as far as its page shows. */
  reasons: readonly BlankReason[];
  /** What the agent inside the view reported. */
  problems: readonly ViewProblem[];
  /** What the agent sees inside the view. */
  inside: ViewInside;
  /** Why the last build of a view failed, for each; the view that is shown is older. */
  buildErrors: readonly string[];
  /** The log-ins of the servers at an address. */
  logins: readonly ServerLoginState[];
  log: readonly LogEntry[];
  /** What the server logged with messages. */
  serverLog: readonly LogEntry[];
  /** How often the server changed a list of prompts or resources. */
  listChanges: number;
  stderr: string;
  /** How often the view was reloaded because it changed. */
  reloads: number;
  /** All servers of the command, if there are several. */
  servers: readonly ServerChoice[];
  /** The chat with a model, if there is one. */
  chat: DevChatState | undefined;
  /** What servers and views ask the author. */
  questions: readonly Question[];
  replay: { total: number; done: number; verdict?: Verdict } | undefined;
}

/** The selected profile. */
export function profileOf({
  profiles,
  settings,
}: Pick<DevState, "profiles" | "settings">): HostProfile | undefined {
  return profiles.find(({ id }) => id === settings.profile);
}
