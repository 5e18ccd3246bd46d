import type { Sentences } from "@vitrine/protocol/sentences";
import type { SandboxErrorCode } from "./errors.ts";

const FULL_SENTENCES: Record<SandboxErrorCode, (about: unknown) => string> = {
  "no-hosts": () =>
    'No page may embed the views. Name the origins of your host pages, as in hosts: ["https://chat.example"].',
  "many-hosts": (about) =>
    `${about} hosts are too many: on the host's own origin there is one, elsewhere their names have 1024 characters in all. Name fewer.`,
  "bad-origin": (about) =>
    `"${about}" is no origin. Write scheme, host and port alone, as in "https://chat.example".`,
  "insecure-origin": (about) =>
    `"${about}" is not encrypted, so anybody on the way could replace the sandbox. Use https, or a name that ends in .localhost.`,
  "ip-origin": (about) =>
    `"${about}" is an address, which no policy and no view's name can be made of. Use a domain, or the tier "localhost".`,
  "same-origin": (about) =>
    `"${about}" is host and sandbox at once, so every view could read the host's page (SBX-01). Serve the sandbox from another domain.`,
  "same-site": (about) =>
    `${about} are one site: views could read and set cookies of the host and freeze its page. Serve the sandbox from another registrable domain.`,
  "localhost-port": (about) =>
    `"${about}" is no domain for views: another port of one machine shares its cookies. Use the tier "localhost", which gives each view a name below .localhost.`,
  "mixed-tier": (about) =>
    `${about} belongs to another tier: on the host's own origin a view must not have that origin. Remove it, or use the tier "domain" or "localhost".`,
  "bad-flag": (about) =>
    `"${about}" is no flag that a view can have. Use allow-scripts, allow-same-origin and allow-forms.`,
  "bad-prefix": (about) =>
    `"${about}" is no path prefix. Write it as "/sandbox": letters, digits, - and /, no / at its end.`,
  "short-key": (about) =>
    `The key has ${about} bytes, 32 are the least: who guesses it can name every view's origin. Make one with crypto.getRandomValues and keep it.`,
  "bad-domain": (about) =>
    `"${about}" is no domain name, so it would match nothing. Write it without scheme, path or *, as in "example.com".`,
  "bad-html": (about) =>
    `The html is ${about}. Give it as a string of whole Unicode characters, decoded as UTF-8.`,
  "large-html": (about) =>
    `The html has ${about}. Make it smaller, or raise limits.html of the sandbox.`,
  "bad-identity": (about) =>
    `"${about}" has to be a string. Give server and resource, and tenant and user where there are any.`,
  "store-full": (about) =>
    `The store is full (${about}). Views leave it when they are opened or after a minute; raise its limits if that is not enough.`,
  "sandbox-closed": (about) => `"${about}" came after close(). Create another sandbox.`,
};

/** What the Sandbox says to those who set it up. */
export const SANDBOX_SENTENCES: Sentences = FULL_SENTENCES;
