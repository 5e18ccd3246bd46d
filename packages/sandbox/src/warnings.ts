import type { Origins } from "./origins.ts";
import { isOpenToAnybody } from "./public-name.ts";

/** A weakness of a setup that an operator should know. */
export interface SandboxWarning {
  code: "not-a-public-suffix";
  message: string;
}

/** The weaknesses of a setup. */
export function warningsOf({ tier, proxy }: Origins): SandboxWarning[] {
  if (tier !== "domain") return [];
  const domain = new URL(proxy).hostname.replace(/^[^.]+\./, "");
  // Only names on the list are open to anyone. The list is the one that this version was released with.
  if (isOpenToAnybody(domain, false)) return [];
  const message = `"${domain}" isn't on the Public Suffix List, so browsers treat all views as one site. Views of different servers, users and policies can exchange data through cookies and the HTTP cache while they are open at the same time. Request an entry at https://publicsuffix.org/submit/ and update @vitrine/sandbox when the list has it.`;
  return [{ code: "not-a-public-suffix", message }];
}
