import { isLoopbackHost } from "./config.ts";

/** Whether an address is encrypted, or on this machine. */
export function isSafeAddress(text: string | URL): boolean {
  if (!URL.canParse(text.toString())) return false;
  const { protocol, hostname } = new URL(text);
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  return protocol === "https:" || isLocal || isLoopbackHost(hostname.replace(/^\[|\]$/g, ""));
}
