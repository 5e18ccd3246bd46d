// Chromium gathers what `report-to` reports for up to a minute; what `report-uri` reports is sent at once.
// Who develops or checks a View does not wait for a minute. The policy itself stays as it is; the list of
// connections has the report's own address more, which the policy keeps from the View all the same.

import type { Sandbox } from "@vitrine/sandbox";

/** Where in a View's page something was blocked, as its browser says; a View can say that too. */
export interface ReportedPlace {
  viewId: string;
  /** An address, or a word such as `eval`. */
  blocked: string;
  line: number;
  column: number;
}

// The Sandbox takes no longer ones.
const LONGEST = 65_536;

/** The same Sandbox; browsers tell it without delay what they blocked, and us before it where. */
export function withPromptReports(
  sandbox: Pick<Sandbox, "fetch">,
  onPlace: (place: ReportedPlace) => void = () => {},
): Pick<Sandbox, "fetch"> {
  return {
    fetch: async (request) => {
      if (request.method === "POST") return sandbox.fetch(await overhear(request, onPlace));
      const response = await sandbox.fetch(request);
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

/** The same request; the place that it reports is told. */
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
