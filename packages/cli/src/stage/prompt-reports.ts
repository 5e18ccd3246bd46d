// Chromium collects the reports of `report-to` for up to a minute; those of `report-uri` are sent at
// once. A developer can't wait for a minute. The policy itself stays the same; its list of
// connections additionally has the report's address, which the policy still keeps from the view.

import type { Sandbox } from "@vitrine/sandbox";

/** Where in a view's page something was blocked, as its browser reports it; a view can forge that. */
export interface ReportedPlace {
  viewId: string;
  /** An address, or a keyword such as `eval`. */
  blocked: string;
  line: number;
  column: number;
}

// The sandbox rejects longer ones.
const LONGEST = 65_536;

/** The same sandbox; browsers report without delay, and the location is passed to us first. */
export function withPromptReports(
  sandbox: Pick<Sandbox, "fetch">,
  onPlace: (place: ReportedPlace) => void = () => {},
): Pick<Sandbox, "fetch"> {
  return {
    fetch: async (request, client) => {
      if (request.method === "POST") return sandbox.fetch(await overhear(request, onPlace), client);
      const response = await sandbox.fetch(request, client);
      const policy = response.headers.get("content-security-policy");
      const address = /view="([^"]+)"/.exec(response.headers.get("reporting-endpoints") ?? "")?.[1];
      if (!policy?.includes("report-to view") || !address) return response;
      const headers = new Headers(response.headers);
      headers.set(
        "content-security-policy",
        policy.replace("report-to view", `report-uri ${address}`),
      );
      const connections = headers.get("connection-allowlist");
      if (connections)
        headers.set("connection-allowlist", connections.replace(")", ` "${address}")`));
      return new Response(response.body, { status: response.status, headers });
    },
  };
}

/** The same request; the location that it reports is passed on. */
async function overhear(
  request: Request,
  onPlace: (place: ReportedPlace) => void,
): Promise<Request> {
  const viewId = /\/r\/([^/?#]+)$/.exec(request.url)?.[1];
  const isShort = Number(request.headers.get("content-length") ?? Number.NaN) <= LONGEST;
  if (viewId === undefined || !isShort) return request;
  const text = await request.text();
  const place = readPlace(text);
  if (place) onPlace({ viewId, ...place });
  return new Request(request.url, { method: "POST", headers: request.headers, body: text });
}

function readPlace(text: string): Omit<ReportedPlace, "viewId"> | undefined {
  try {
    const { "csp-report": report } = JSON.parse(text);
    const { "blocked-uri": blocked, "line-number": line, "column-number": column } = report;
    const isPlace = Number.isSafeInteger(line) && Number.isSafeInteger(column);
    return typeof blocked === "string" && isPlace ? { blocked, line, column } : undefined;
  } catch {
    return undefined;
  }
}
