// A view's address, its type, its document.

import { isAppMimeType, RESOURCE_MIME_TYPE, UI_SCHEME } from "@vitrine/protocol/apps";
import { brief } from "../json.ts";
import type { Scenario } from "../scenario.ts";
import type { UiResource, UiTool } from "../targets/server-survey.ts";
import type { ServerTarget } from "../targets/server-target.ts";
import { judgeTools, judgeViews } from "./every-era.ts";
import { documentOf, isHtmlDocument } from "./view-document.ts";

export const ADDRESS_SCENARIOS: readonly Scenario<ServerTarget>[] = [
  {
    title: "reads the address of every view in tools and lists",
    rules: ["SRV-01"],
    run: async (target) => {
      const ofTools = await judgeTools(
        "SRV-01",
        target,
        addressFaults,
        "Every address starts with ui://",
      );
      if (ofTools.state === "broken") return [ofTools];
      const faults = ({ uri }: UiResource): string[] =>
        uri.startsWith(UI_SCHEME) ? [] : ["it has the view's type, but not the scheme ui://"];
      return [await judgeViews("SRV-01", target, faults, "Every address starts with ui://")];
    },
  },
  {
    title: "reads the type of every view in list and content",
    rules: ["SRV-02"],
    run: async (target) => [
      await judgeViews("SRV-02", target, typeFaults, `Every view is ${RESOURCE_MIME_TYPE}`),
    ],
  },
  {
    title: "decodes the content of every view",
    rules: ["SRV-03"],
    run: async (target) => [
      await judgeViews("SRV-03", target, contentFaults, "Every view is text, or base64 of UTF-8"),
    ],
  },
  {
    title: "checks that the content of every view is a document",
    rules: ["SRV-04"],
    run: async (target) => [
      await judgeViews("SRV-04", target, documentFaults, "Every view is an HTML5 document"),
    ],
  },
  {
    title: "reads the view of every tool",
    rules: ["SRV-05"],
    run: async (target) => [
      await judgeTools(
        "SRV-05",
        target,
        ({ nested, flat }, { resources }) =>
          resources
            .filter(({ uri, content }) => (uri === nested || uri === flat) && !content)
            .map(({ uri, problem }) => `${uri} does not exist: ${problem}`),
        "Every tool's view can be read",
      ),
    ],
  },
];

function addressFaults({ nested, flat }: UiTool): string[] {
  return Object.entries({ "_meta.ui.resourceUri": nested, '_meta["ui/resourceUri"]': flat })
    .filter(([, uri]) => uri !== undefined && !(typeof uri === "string" && isUiAddress(uri)))
    .map(([key, uri]) => `${key} is ${brief(uri)}, but a view's address starts with ui://`);
}

/** Scheme and more: hosts compare the text, so `UI://` is different. */
function isUiAddress(uri: string): boolean {
  return uri.startsWith(UI_SCHEME) && uri.length > UI_SCHEME.length && !/\s/.test(uri);
}

function typeFaults({ entry, content }: UiResource): string[] {
  return Object.entries({ "resources/list": entry, "resources/read": content })
    .filter(([, item]) => item && !isAppMimeType(item.mimeType))
    .map(
      ([method, item]) =>
        `mimeType is ${brief(item?.mimeType)} in ${method}, not "${RESOURCE_MIME_TYPE}"`,
    );
}

function contentFaults({ content }: UiResource): string[] {
  if (!content) return [];
  const { problem } = documentOf(content);
  return problem === undefined ? [] : [problem];
}

function documentFaults({ content }: UiResource): string[] {
  const { html } = content ? documentOf(content) : {};
  if (html === undefined || isHtmlDocument(html)) return [];
  return [`it starts with ${brief(html.slice(0, 40))}, not with <!doctype html>`];
}
