import type { Scene } from "./check.ts";

/** The headers that a browser sends when it loads a document into a frame. */
export const FRAME_REQUEST: Readonly<Record<string, string>> = {
  "sec-fetch-dest": "iframe",
  "sec-fetch-mode": "navigate",
  "sec-fetch-site": "cross-site",
};

/** Registers a view and finds out where its document is: only the proxy's policy says so. */
export async function register(scene: Scene, html: string, server = "delivery") {
  const { registered } = await scene.stage.prepare([{ name: "view", server, html }]);
  const proxyUrl = registered.view?.proxyUrl ?? "";
  const response = await scene.stage.fetch(new Request(proxyUrl, { headers: FRAME_REQUEST }));
  const policy = response.headers.get("content-security-policy") ?? "";
  const settings = /data-vitrine="([^"]+)"/.exec(await response.text())?.[1] ?? "{}";
  const { view } = JSON.parse(settings.replaceAll("&quot;", '"').replaceAll("&amp;", "&"));
  if (!policy || typeof view !== "string") throw new Error(`no proxy page at ${proxyUrl}`);
  return { proxyUrl, viewUrl: view };
}
