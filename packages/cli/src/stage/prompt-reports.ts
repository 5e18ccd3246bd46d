// Chromium gathers what `report-to` reports for up to a minute; what `report-uri` reports is sent at once.
// Who develops or checks a View does not wait for a minute. The policy itself stays as it is; the list of
// connections has the report's own address more, which the policy keeps from the View all the same.

import type { Sandbox } from "@vitrine/sandbox";

/** The same Sandbox; browsers tell it without delay what they blocked. */
export function withPromptReports(sandbox: Pick<Sandbox, "fetch">): Pick<Sandbox, "fetch"> {
  return {
    fetch: async (request) => {
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
