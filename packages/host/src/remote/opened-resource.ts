import type { ReadResourceResult } from "@vitrine/protocol/apps";
import { listing } from "../resources/listing.ts";
import type { Upstream } from "../upstreams/upstream.ts";

const TIME = 60_000;

/**
 * A view's resource. The metadata of its entry in the server's list is added where the resource has
 * none (HST-07), so that the page needs no second request.
 */
export async function readOpenedResource(
  upstream: Upstream,
  uri: string,
): Promise<ReadResourceResult> {
  // A server need not list its resources, or have a list at all (SRV-10).
  const entries = listing(upstream, "resources").catch(() => []);
  const signal = AbortSignal.timeout(TIME);
  const result = await upstream.request("resources/read", { uri }, { signal });
  if (!Array.isArray(result?.contents)) return result;
  const contents = await Promise.all(
    result.contents.map(async (item) => {
      if (item?.uri !== uri || item._meta?.ui !== undefined) return item;
      const ui = (await entries).find((entry) => entry.uri === uri)?._meta?.ui;
      return ui === undefined ? item : { ...item, _meta: { ...item._meta, ui } };
    }),
  );
  return { ...result, contents };
}
