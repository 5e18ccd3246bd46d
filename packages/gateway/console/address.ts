// Each page has an address in the fragment, so that it can be linked and the server needs no routes for it.

import { useEffect, useState } from "preact/hooks";

/** Where the console is: a page, what it is about, and its filters. */
export interface Address {
  page: string;
  subject?: string;
  query: Readonly<Record<string, string>>;
}

export function readAddress(hash: string): Address {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [page = "", subject] = path.split("/").map(decoded);
  return {
    page: page || "overview",
    ...(subject && { subject }),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

export function writeAddress({ page, subject, query = {} }: Partial<Address>): string {
  const filters = new URLSearchParams(Object.entries(query).filter(([, value]) => value));
  const path = [page ?? "", ...(subject ? [subject] : [])].map(encodeURIComponent).join("/");
  return `#/${path}${filters.size > 0 ? `?${filters}` : ""}`;
}

/** The current address, and the way to another one. */
export function useAddress(): Address {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = (): void => setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return readAddress(hash);
}

export function goTo(address: Partial<Address>): void {
  location.hash = writeAddress(address);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
