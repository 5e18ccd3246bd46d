import type { Sentences } from "@vitrine/protocol/sentences";
import type { ServerErrorCode } from "./errors.ts";

const FULL_SENTENCES: Record<ServerErrorCode, (about: unknown) => string> = {
  "not-ui-uri": (about) =>
    `${about} is no address of a View (SRV-01). Write it as "ui://weather/view.html": ui:// in small letters, a name, and what a URL leaves as it is.`,
  "wrong-mime-type": (about) =>
    `${about} is not the MIME type of a View (SRV-02). Leave mimeType out: "text/html;profile=mcp-app" is set for you.`,
  "bad-content": (about) =>
    `What was read for ${about} (SRV-03). Return { contents: [{ uri, text }] } with the whole document, or { uri, blob } with its UTF-8 bytes in base64.`,
  "not-html": (about) =>
    `${about} is no HTML5 document (SRV-04). Begin it with <!doctype html>, or hosts show it in quirks mode or not at all.`,
  "bad-view-file": (about) =>
    `The View cannot be read from ${about}. Build it first, or correct the address: new URL("../dist/ui/weather/index.html", import.meta.url).`,
  "dangling-resource": (about) =>
    `${about}, which this server does not have (SRV-05). Register it with registerAppResource before the server connects, or correct the address.`,
  "two-resources": (about) =>
    `${about}: _meta.ui.resourceUri and _meta["ui/resourceUri"] differ, so each host would show another View. Give the first alone: both are sent.`,
  "bad-visibility": (about) =>
    `${about} is no visibility (SRV-15). Use ["model", "app"], ["model"] or ["app"]; leave it out for both.`,
  "policy-on-tool": (about) =>
    `${about} (SRV-17): hosts read csp and permissions from the resource alone and ignore them here. Move them to _meta.ui of the resource.`,
  "bad-metadata": (about) => `${about}. Correct it: hosts drop what they cannot read.`,
  "refused-declaration": (about) =>
    `${about} Hosts would leave it out in silence; while developing, the option dev accepts http://localhost.`,
  "bad-domain": (about) =>
    `${about} is no domain (SRV-08). Give the name alone, in the form the host documents, as claudeDomain(endpoint) does; or leave it out.`,
  "bad-endpoint": (about) =>
    `${about} is no address of an MCP endpoint. Give the URL exactly as users enter it, as in "https://mcp.example.com/mcp": one character more is another domain.`,
  "bad-app-name": (about) =>
    `${about} is no name of an app. Use letters, digits, - and _, beginning with a letter or digit, at most 64: it becomes part of ui:// addresses.`,
  "bad-cache": (about) =>
    `${about} is no cache hint. Give ttlMs as whole milliseconds from 0 on, and cacheScope as "public" or "private".`,
};

/** What an error says: the value, and what to do about it. */
export const SERVER_SENTENCES: Sentences = FULL_SENTENCES;
