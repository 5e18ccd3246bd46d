// What happens to views, for telemetry: times, counts and outcomes, and never content.

import type { McpUiDisplayMode } from "@vitrine/protocol/apps";
import type { ConsentSubject } from "./consent/consent.ts";
import type { DiagnosticCode, Stage } from "./diagnostic.ts";

/** What happened. */
export type HostEventDetail =
  /** The view has come this far; `elapsed` at `"shown"` is the time to its first paint. */
  | { readonly type: "stage"; readonly stage: Stage; readonly elapsed: number }
  | { readonly type: "display-mode"; readonly mode: McpUiDisplayMode }
  /** A tool call of the view has ended: with a result, with an error of the tool, or rejected. */
  | {
      readonly type: "tool-call";
      /** As the view wrote it. */
      readonly name: string;
      readonly outcome: "ok" | "tool-error" | "rejected";
      readonly duration: number;
    }
  /** The user, a rule or a remembered answer has decided on a request. */
  | {
      readonly type: "consent";
      readonly kind: ConsentSubject["kind"];
      readonly allow: boolean;
      readonly duration: number;
    }
  | {
      readonly type: "diagnostic";
      readonly level: "error" | "warning" | "info";
      readonly code: DiagnosticCode;
    };

/** One event of a view. Durations are milliseconds. */
export type HostEvent = HostEventDetail & {
  /** The id of the conversation, unless it is the default one. */
  readonly conversation?: string;
  /** The view's key. */
  readonly view: string;
  /** The host's name for the server. */
  readonly server: string;
  /** The tool whose result the view shows. */
  readonly tool: string;
};
