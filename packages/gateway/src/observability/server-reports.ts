import { SERVER_INFO_KEY } from "../upstreams/frames/request-meta.ts";
import type { DiscoverResult, UpstreamError } from "../upstreams/upstream.ts";
import { isOutage } from "./outage.ts";

/** The result of a server's last call or check. */
export interface ServerReport {
  /** Undefined if it was never called. */
  isUp?: boolean;
  /** Why the last call failed. */
  error?: string;
  /** Milliseconds since 1970. */
  checkedAt?: number;
  /** The version that it reports. */
  version?: string;
  /** The newest protocol version that it supports. */
  protocol?: string;
}

/** The reports of all servers. */
export interface ServerReports {
  get(server: string): ServerReport;
  /** Notes how a call went: the failure, or undefined for a success. */
  note(server: string, failure: UpstreamError | undefined): void;
  /** Notes what a server reports about itself. */
  describe(server: string, found: DiscoverResult): void;
  forget(server: string): void;
}

const LONGEST = 100;

/** Creates empty reports. */
export function createServerReports(): ServerReports {
  const reports = new Map<string, ServerReport>();
  return {
    get: (server) => reports.get(server) ?? {},
    note: (server, failure) => {
      // A failure that concerns one call isn't the server's state.
      if (failure && !isOutage(failure.code)) return;
      const { error: _old, ...before } = reports.get(server) ?? {};
      reports.set(server, {
        ...before,
        isUp: failure === undefined,
        checkedAt: Date.now(),
        ...(failure && { error: failure.code }),
      });
    },
    describe: (server, { _meta, supportedVersions }) => {
      const { version } = Object(_meta?.[SERVER_INFO_KEY]) as { version?: unknown };
      const protocol = Array.isArray(supportedVersions) ? supportedVersions[0] : undefined;
      reports.set(server, {
        ...reports.get(server),
        ...(typeof version === "string" && { version: version.slice(0, LONGEST) }),
        ...(typeof protocol === "string" && { protocol: protocol.slice(0, LONGEST) }),
      });
    },
    forget: (server) => void reports.delete(server),
  };
}
