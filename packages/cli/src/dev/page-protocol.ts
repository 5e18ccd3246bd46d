// The messages between the dev page and its process, over the stage's socket.

import type { ViewToRegister } from "@vitrine/host";
import type { RegisteredView, Diagnostic as SandboxDiagnostic } from "@vitrine/sandbox";
import type { LoginState } from "../auth/login-step.ts";
import type { Code } from "../check/codes.ts";
import type { SourcePlace } from "../frame/source-place.ts";
import type { ViewProblem } from "../frame/view-problem.ts";
import type { Question } from "../questions/question.ts";
import type { HostProfile } from "./host-profile.ts";
import type { RecordedFrame, RecordedServer, Recording } from "./recording.ts";

/**
 * Which tools get a generated view: none, those of a server without any view, or all that have none.
 */
export type AutoViewMode = "off" | "auto" | "all";

/** The server's status. */
export interface ServerStatus extends RecordedServer {
  /** As it was typed. */
  target: string;
  state: "ready" | "starting" | "login" | "failed" | "gone" | "replayed";
  /** Why it isn't ready. */
  reason?: string;
  /** Whether it can be restarted from here. */
  canRestart: boolean;
}

/** The log-in of one server. */
export interface ServerLoginState extends LoginState {
  /** The server's address. */
  server: string;
}

/** The first response to a page. */
export interface Welcome {
  status: ServerStatus;
  profiles: HostProfile[];
  autoViewMode: AutoViewMode;
  /** The messages before this page was opened. */
  frames: RecordedFrame[];
  /** When the recording started, in milliseconds since 1970. */
  began: number;
  /** Why the last build of a view failed, for each. */
  buildErrors: string[];
  /** The log-ins of the servers at an address. */
  logins: ServerLoginState[];
  /** What servers and views ask the author. */
  questions: readonly Question[];
  /** Whether the page runs the first tool with a view that needs no input. */
  runsFirstTool: boolean;
  /** This server's name, and all servers of the command, if there are several. */
  serverName: string;
  servers: readonly ServerChoice[];
  /** The chat with a model, if there is one. */
  chat?: DevChatState;
  /** The recording to replay, if any. */
  replay?: Recording;
}

/** A view for the sandbox: with its page, or with the SHA-256 of a page that the process has read. */
export type Registration = Omit<ViewToRegister, "html"> & {
  html?: string;
  page?: string;
  /** Whether the views of a server share an origin that outlives their versions. */
  hasLastingOrigin?: boolean;
};

/** The response: the view, or a request to send the page after all. */
export type Registered = RegisteredView | { isUnknown: true };

/** An entry that the sandbox left out, or a request that a browser blocked. */
export type BlockedReport = Pick<
  SandboxDiagnostic,
  "kind" | "where" | "value" | "message" | "fix" | "resource"
> & {
  /** A library tested whether it may, and continues without. */
  isProbe?: boolean;
};

/** A possible reason why a view never connected. */
export interface BlankReason {
  /** The code that `vitrine check` uses. */
  code: Code;
  cause: string;
  remedy: string;
  /** In the view's page, from 1. */
  line?: number;
  /** In the author's file. */
  place?: SourcePlace;
}

/** The meaning of a report from inside the view. */
export interface ReportAnswer {
  problem?: ViewProblem;
  /** A console call; `where` is the author's file and line. */
  log?: { level: string; text: string; where?: string };
}

/** The chat with a model. */
export interface DevChatState {
  /** The address of its page. */
  url: string;
  /** The name of the model. */
  model: string;
}

/** One of several servers. */
export interface ServerChoice {
  name: string;
  /** The address of its page, once it has started. */
  url?: string;
  /** Why it didn't start. */
  reason?: string;
}

/** A scenario file, as it is listed. */
export interface ScenarioSummary {
  file: string;
  name: string;
  tool: string;
}

/** The result of a replay. */
export interface Verdict {
  same: boolean;
  /** Messages compared. */
  messages: number;
  /** The first difference. */
  words?: string;
}
