// What a page and the server half of its host send each other. Every request is one POST.

import type { ReadResourceResult, Tool } from "@vitrine/protocol/apps";
import type { SandboxCredential, UpstreamCapabilities } from "../upstreams/upstream.ts";

/** The body of a request. */
export interface RemoteRequest {
  message: { jsonrpc: "2.0"; id: number; method: string; params: object };
  /** Proves which view asks; for requests of views. */
  view?: string | undefined;
  /** The challenge that the server half sent when it asked for the user's consent. */
  consent?: string | undefined;
}

/** A server, with the tools that open a view. */
export interface RemoteServer {
  server: string;
  capabilities: UpstreamCapabilities;
  tools: Tool[];
  /** Why its tools couldn't be listed. */
  error?: string;
}

/** Everything that a page needs to show a view of a tool. */
export interface OpenedView {
  server: string;
  tool: Tool;
  capabilities: UpstreamCapabilities;
  /** Proves to the server half which view asks. The view itself never gets it. */
  view: string;
  /** The view's HTML. */
  resource: ReadResourceResult;
  /** For one registration of the view at the sandbox. */
  credential?: SandboxCredential;
}

/** A tool that opens a view. */
export interface ViewTool {
  server: string;
  tool: string;
}

// Numbers that the gateway uses for the same.
export const VIEW_EXPIRED = -33_004;
export const CONSENT_REQUIRED = -33_005;
export const TOO_MANY = -33_007;
export const UNAVAILABLE = -33_011;
