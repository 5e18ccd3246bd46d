// What the dev page and its process say to each other, over the stage's socket.

import type { ViewToRegister } from "@vitrine/host";
import type { RegisteredView, Diagnostic as SandboxDiagnostic } from "@vitrine/sandbox";
import type { Code } from "../check/codes.ts";
import type { HostProfile } from "./host-profile.ts";
import type { RecordedFrame, RecordedServer, Recording } from "./recording.ts";

/** Which tools get a View of ours: none, those of a server without any View, or all that have none. */
export type Adorning = "off" | "auto" | "all";

/** How the server is. */
export interface ServerStatus extends RecordedServer {
  /** As it was typed. */
  target: string;
  state: "ready" | "starting" | "failed" | "gone" | "replayed";
  /** Why it is not ready. */
  reason?: string;
  /** Whether it can be started anew from here. */
  canRestart: boolean;
}

/** The first answer that a page gets. */
export interface Welcome {
  status: ServerStatus;
  profiles: HostProfile[];
  adorning: Adorning;
  /** What passed before this page was opened. */
  frames: RecordedFrame[];
  /** When the recording began, in milliseconds since 1970. */
  began: number;
  /** What to play back, if anything. */
  replay?: Recording;
}

/** A View for the Sandbox: with its page, or the SHA-256 of one that the process has read for this page. */
export type Registration = Omit<ViewToRegister, "html"> & { html?: string; page?: string };

/** The answer: the View, or that the page is to be sent after all. */
export type Registered = RegisteredView | { isUnknown: true };

/** Something that the Sandbox left out or a browser blocked. */
export type BlockedReport = Pick<
  SandboxDiagnostic,
  "kind" | "where" | "value" | "message" | "fix" | "resource"
> & {
  /** A library asked whether it may, and goes on without. */
  isProbe?: boolean;
};

/** Why a View may have said nothing. */
export interface BlankReason {
  /** As `vitrine check` calls it. */
  code: Code;
  cause: string;
  remedy: string;
  /** In the View's page, from 1. */
  line?: number;
}

/** How a playback went. */
export interface Verdict {
  same: boolean;
  /** Messages compared. */
  messages: number;
  /** The first difference. */
  words?: string;
}
