import type { ErrorMessages } from "@vitrine/protocol/error-messages";

/** A mistake of the operator or embedder: the sandbox doesn't start, or doesn't register the view. */
export type SandboxErrorCode =
  | "no-hosts" // no page may embed the views
  | "many-hosts" // single-origin setups have one
  | "bad-origin" // not written as an origin
  | "insecure-origin" // http beyond loopback
  | "ip-origin" // an IP address has no subdomains
  | "bad-wildcard" // `*` that isn't the whole first label
  | "open-wildcard" // a wildcard below a public suffix
  | "open-registration" // everybody could embed and register
  | "host-needed" // a view without a host, though anyone can be one
  | "same-origin" // host and sandbox share an origin
  | "same-site" // host and sandbox share cookies and a process
  | "localhost-port" // another port isn't another site
  | "mixed-tier" // one origin, and yet `allow-same-origin`
  | "bad-flag" // a sandbox flag that isn't allowed
  | "bad-prefix"
  | "short-key"
  | "bad-domain" // an entry of the operator's lists
  | "bad-fonts"
  | "bad-html"
  | "large-html"
  | "bad-identity"
  | "long-identity" // doesn't fit into a credential
  | "bad-lifetime" // of a credential
  | "store-full"
  | "sandbox-closed";

const MESSAGES: Record<SandboxErrorCode, (about: unknown) => string> = {
  "no-hosts": () =>
    'No page may embed the views. Name the origins of your host pages, as in hosts: ["https://chat.example"].',
  "many-hosts": (about) =>
    `${about} hosts are too many: a single-origin setup has one host, and elsewhere all names together have at most 1024 characters. Configure fewer.`,
  "bad-origin": (about) =>
    `"${about}" isn't an origin that a host can have. Write only scheme, host and port, as in "https://chat.example", or the origin of an app, as in "tauri://localhost". Use neither "null" nor file addresses.`,
  "insecure-origin": (about) =>
    `"${about}" isn't encrypted, so anyone on the network path could replace the sandbox. Use https, or a name that ends in .localhost.`,
  "ip-origin": (about) =>
    `"${about}" is an IP address, which can't be used in policies or in the names of views. Use a domain, or the tier "localhost".`,
  "bad-wildcard": (about) =>
    `"${about}" isn't a wildcard for hosts. Write * as the whole first label, as in "https://*.preview.chat.example".`,
  "open-wildcard": (about) =>
    `"${about}" covers names that anyone can get, so anyone could embed your views. Name your hosts one by one, use a domain of your own for previews, or list it in openHosts if you accept that.`,
  "open-registration": (about) =>
    `openHosts isn't possible with ${about} registration: any page could then show its own views in your sandbox. Use credentials, each for one host.`,
  "host-needed": (about) =>
    `"${about}" has no host, but with openHosts anyone can have a page that embeds views. Name the one page that will embed it, as in host: "https://pr-7.vercel.app".`,
  "same-origin": (about) =>
    `"${about}" is the origin of both host and sandbox, so every view could read the host's page (SBX-01). Serve the sandbox from another domain.`,
  "same-site": (about) =>
    `${about} are one site: views could read and set cookies of the host and freeze its page. Serve the sandbox from another registrable domain.`,
  "localhost-port": (about) =>
    `"${about}" can't be the domain of views: other ports of the same machine share its cookies. Use the tier "localhost", which gives each view a name below .localhost.`,
  "mixed-tier": (about) =>
    `${about} isn't possible in this tier: on the host's own origin a view must not have that origin. Remove it, or use the tier "domain" or "localhost".`,
  "bad-flag": (about) =>
    `"${about}" isn't an allowed sandbox flag. Use allow-scripts, allow-same-origin and allow-forms.`,
  "bad-prefix": (about) =>
    `"${about}" isn't a path prefix. Use letters, digits, - and /, without a / at the end, as in "/sandbox".`,
  "short-key": (about) =>
    `The key has ${about} bytes, but needs at least 32: with a guessed key an attacker can compute every view's origin. Create one with crypto.getRandomValues and store it.`,
  "bad-domain": (about) =>
    `"${about}" isn't a domain name, so it would match nothing. Write it without scheme, path or *, as in "example.com".`,
  "bad-fonts": (about) =>
    `hostFonts can't have "${about}". Write at most four origins such as "https://fonts.example.com".`,
  "bad-html": (about) =>
    `The html is ${about}. Pass a string of whole Unicode characters, decoded as UTF-8.`,
  "large-html": (about) =>
    `The html has ${about}. Make it smaller, or raise limits.html of the sandbox.`,
  "bad-identity": (about) =>
    `"${about}" has to be a string. Pass server and resource, and tenant and user if there are any.`,
  "long-identity": (about) =>
    `A credential of ${about} characters doesn't fit into a header. Use shorter names for tenant, user, server and resource.`,
  "bad-lifetime": (about) =>
    `A credential can't live for "${about}" milliseconds. Use a number from 1 to 600000.`,
  "store-full": (about) =>
    `The store is full (${about}). Views are removed when they are opened or after a minute; raise its limits if that isn't enough.`,
  "sandbox-closed": (about) => `"${about}" was called after close(). Create another sandbox.`,
};

/** The messages of the Sandbox's errors. */
export const SANDBOX_ERROR_MESSAGES: ErrorMessages = MESSAGES;
