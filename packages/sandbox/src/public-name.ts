import { parse } from "tldts";

// The private part of the list counts: on `github.io` and `vercel.app` anyone can have a server,
// so they are suffixes just as `co.uk` is.
const options = { allowPrivateDomains: true };

// Listed, yet not reachable for the browser of an ordinary user, or not by name.
const UNREACHABLE = new Set(["onion", "arpa"]);

/** Whether the name ends in a suffix that the public internet knows. */
export function isPublicName(host: string): boolean {
  const { isIcann, isPrivate, publicSuffix } = parse(host, options);
  const last = host.slice(host.lastIndexOf(".") + 1);
  return publicSuffix !== null && Boolean(isIcann || isPrivate) && !UNREACHABLE.has(last);
}

/** Whether third parties can have servers with this name, or below it for a wildcard. */
export function isOpenToAnybody(host: string, wildcard: boolean): boolean {
  if (parse(host, options).domain === null) return true;
  // `*.run.app`: the name itself isn't a suffix, but each name below it is (E30).
  return wildcard && parse(`any.${host}`, options).domain === null;
}

/** The site of a name to browsers: the registrable domain, or the name itself if there is none. */
export function siteOf(host: string): string {
  return parse(host, options).domain ?? host;
}

/** Whether a host is the user's own machine. */
export function isLoopback(host: string): boolean {
  return (
    host === "localhost" ||
    host.endsWith(".localhost") ||
    host === "[::1]" ||
    /^127(?:\.\d{1,3}){3}$/.test(host)
  );
}

/** Whether `host` is `name` or below it. */
export function isWithin(host: string, name: string): boolean {
  return host === name || host.endsWith(`.${name}`);
}
