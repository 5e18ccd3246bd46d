/** An address that a click may open. */
export interface SafeLink {
  href: string;
  /** What users see of it: the host, or the mail address. */
  target: string;
}

/** Reads an address from Markdown; `undefined` if nobody should open it. */
export function readLink(address: string): SafeLink | undefined {
  if (address.length > 2000 || !URL.canParse(address)) return undefined;
  const { protocol, href, host, username, password, pathname } = new URL(address);
  if (protocol === "mailto:") return { href, target: pathname };
  if (protocol !== "https:" && protocol !== "http:") return undefined;
  // `https://bank.example@evil.example` looks like another host.
  if (username !== "" || password !== "") return undefined;
  return { href, target: host };
}
