// A page that any page can frame to learn that a Sandbox answers here. A Host loads it only after its
// own frame stayed silent: browsers tell a page neither that a server is down nor that it rejected
// the page, and this frame tells which it was.

import { cspHash } from "./digest.ts";
import { statusHeaders } from "./headers.ts";

const SCRIPT = 'parent.postMessage({ vitrine: "status" }, "*");';
const scriptHash = cspHash(SCRIPT);

/** The response at `/status`. */
export async function openStatus(): Promise<Response> {
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sandbox</title></head><body><script>${SCRIPT}</script></body></html>`;
  return new Response(page, { headers: statusHeaders(await scriptHash) });
}
