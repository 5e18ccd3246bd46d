// The messages between the page with the host and the process that runs the tests.

import type { ToolData } from "@vitrine/host";
import type {
  McpUiMessageRequest,
  McpUiUpdateModelContextRequest,
  Tool,
} from "@vitrine/protocol/apps";
import type { MountHost } from "../mount/mount-options.ts";

/** What to show, and in which host. */
export interface MountPlan {
  /** Address of the sandbox's entrance. */
  entrance: string;
  tool: Tool;
  host: MountHost;
  data: ToolData[];
  /** Milliseconds for each half of the handshake. */
  time: number;
}

/** An event in the page. */
export type PageEvent =
  | { kind: "stage"; stage: string }
  | { kind: "problem"; level: string; code: string; text: string }
  | { kind: "message"; message: McpUiMessageRequest["params"] }
  | { kind: "context"; context: McpUiUpdateModelContextRequest["params"] | null }
  | { kind: "link"; url: string }
  | { kind: "log"; level: string; data: unknown }
  | { kind: "refused"; tool: string };

/** The functions that the page offers. */
export interface TestPage {
  open(plan: MountPlan): void;
  tell(data: ToolData): void;
  setHost(host: MountHost): void;
  close(): Promise<void>;
}

/** The answer to a request of the host. */
export type UpstreamAnswer = { result: unknown } | { error: { code: number; message: string } };

/** The functions that the process offers to the page. */
export interface TestProcess {
  vitrineAsk(method: string, params: unknown): Promise<UpstreamAnswer>;
  vitrineEvent(event: PageEvent): Promise<void>;
}
