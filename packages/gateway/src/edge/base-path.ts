// A gateway at a path of its public address, such as https://example.com/tools. The proxy in front may remove the
// path or keep it; both work.

const WELL_KNOWN = /^\/\.well-known\/[\w-]+/;

/** The path of a public address, without a slash at the end. Empty if it has none. */
export function basePathOf(publicUrl: string | undefined): string {
  return publicUrl === undefined ? "" : new URL(publicUrl).pathname.replace(/\/$/, "");
}

/** A request's path and query without the base path. In well-known addresses it is in the middle (RFC 8615). */
export function withoutBasePath(url: string, base: string): string {
  if (base === "") return url;
  const [first] = WELL_KNOWN.exec(url) ?? [""];
  const rest = url.slice(first.length);
  if (!rest.startsWith(base)) return url;
  const inner = rest.slice(base.length);
  return inner === "" || /^[/?]/.test(inner) ? `${first}${inner}` || "/" : url;
}
