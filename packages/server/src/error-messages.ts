import type { ErrorMessages } from "@vitrine/protocol/error-messages";

/** A mistake in an app's declaration; thrown where it is declared, or when the server starts. */
export type ServerErrorCode =
  | "not-ui-uri" // SRV-01
  | "wrong-mime-type" // SRV-02
  | "bad-content" // SRV-03: neither text nor base64, or another address
  | "not-html" // SRV-04
  | "bad-view-file" // a URL that can't be read
  | "dangling-resource" // SRV-05
  | "two-resources" // the nested and the flat key differ
  | "bad-visibility" // SRV-15
  | "policy-on-tool" // SRV-17
  | "bad-metadata"
  | "refused-declaration" // a domain or permission that no host would grant
  | "bad-domain" // SRV-08
  | "bad-endpoint" // of the Claude domain
  | "bad-app-name"
  | "bad-cache"
  | "bad-upload"; // a part of a file

const MESSAGES: Record<ServerErrorCode, (about: unknown) => string> = {
  "not-ui-uri": (about) =>
    `${about} is not a view's address (SRV-01). Write it as "ui://weather/view.html": ui:// in lower case, a name, and only characters that a URL keeps.`,
  "wrong-mime-type": (about) =>
    `${about} is not the MIME type of a view (SRV-02). Leave mimeType out: "text/html;profile=mcp-app" is set for you.`,
  "bad-content": (about) =>
    `Invalid content for ${about} (SRV-03). Return { contents: [{ uri, text }] } with the whole document, or { uri, blob } with its UTF-8 bytes in base64.`,
  "not-html": (about) =>
    `${about} is not an HTML5 document (SRV-04). Start it with <!doctype html>, or hosts show it in quirks mode or not at all.`,
  "bad-view-file": (about) =>
    `The view can't be read from ${about}. Build it first, or correct the address: new URL("../dist/ui/weather/index.html", import.meta.url).`,
  "dangling-resource": (about) =>
    `${about}, which this server doesn't have (SRV-05). Register it with registerAppResource before the server connects, or correct the address.`,
  "two-resources": (about) =>
    `${about}: _meta.ui.resourceUri and _meta["ui/resourceUri"] differ, so hosts would show different views. Set only the first: both are sent.`,
  "bad-visibility": (about) =>
    `${about} is not a valid visibility (SRV-15). Use ["model", "app"], ["model"] or ["app"]; leave it out for both.`,
  "policy-on-tool": (about) =>
    `${about} (SRV-17): hosts read csp and permissions only from the resource and ignore them here. Move them to _meta.ui of the resource.`,
  "bad-metadata": (about) => `${about}. Correct it: hosts drop values that they can't read.`,
  "refused-declaration": (about) =>
    `${about} Hosts would silently leave it out. For development, the option dev accepts http://localhost.`,
  "bad-domain": (about) =>
    `${about} is not a valid domain (SRV-08). Use the form that the host documents: a name, as claudeDomain(endpoint) returns it, or an https origin without a path; or leave it out.`,
  "bad-endpoint": (about) =>
    `${about} is not the address of an MCP endpoint. Pass the URL exactly as users enter it, as in "https://mcp.example.com/mcp": one more character gives another domain.`,
  "bad-app-name": (about) =>
    `${about} is not a valid app name. Use letters, digits, - and _, starting with a letter or digit, at most 64: it becomes part of ui:// addresses.`,
  "bad-cache": (about) =>
    `${about} is not a valid cache hint. Set ttlMs to whole milliseconds from 0, and cacheScope to "public" or "private".`,
  "bad-upload": (about) => `${about} was not accepted. Send the file again.`,
};

/** The messages of the server's errors: each names the value and what to do. */
export const SERVER_ERROR_MESSAGES: ErrorMessages = MESSAGES;
