import type { Sandbox } from "@vitrine/sandbox";

/**
 * The same sandbox for a host page that other pages show in a frame: they may be above its views too.
 * They aren't hosts, so the relay still accepts messages of the host page only.
 */
export function withOuterFrames(
  sandbox: Pick<Sandbox, "fetch">,
  embedders: readonly string[],
): Pick<Sandbox, "fetch"> {
  if (embedders.length === 0) return sandbox;
  return {
    fetch: async (request, client) => {
      const response = await sandbox.fetch(request, client);
      const policy = response.headers.get("content-security-policy");
      if (!policy?.includes("frame-ancestors ")) return response;
      const headers = new Headers(response.headers);
      headers.set(
        "content-security-policy",
        policy.replace(/frame-ancestors [^;]*/, (allowed) => `${allowed} ${embedders.join(" ")}`),
      );
      return new Response(response.body, { status: response.status, headers });
    },
  };
}
