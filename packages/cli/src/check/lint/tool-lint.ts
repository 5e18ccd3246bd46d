// Checks tools and the views they name: everything that makes a host show text instead of a view.

import { RESOURCE_URI_META_KEY, UI_SCHEME } from "@vitrine/protocol/apps";
import { type Finding, finding } from "../finding.ts";
import { asRecord, brief, isRecord } from "../json.ts";
import type { Survey } from "../survey/survey.ts";
import type { UiTool } from "../survey/ui-tool.ts";

/** Problems in a server's tools. */
export function lintTools(survey: Survey): Finding[] {
  return survey.uiTools.flatMap((uiTool) => [
    ...keyFaults(uiTool),
    ...addressFaults(uiTool, survey),
    ...visibilityFaults(uiTool, survey),
    ...policyFaults(uiTool),
  ]);
}

const metaLine = (uri: unknown): string =>
  `_meta: { ui: { resourceUri: ${JSON.stringify(uri)} }, "${RESOURCE_URI_META_KEY}": ${JSON.stringify(uri)} }`;

function* keyFaults({ name, tool, nested, flat, foreign }: UiTool): Iterable<Finding> {
  const place = { tool: name };
  if (tool._meta === undefined && isRecord(tool.meta)) {
    yield finding("misspelt-meta", "text-only", place, {
      cause: `The tool "${name}" has its metadata under "meta"; hosts read "_meta" and see a tool without a view.`,
      remedy: `rename it on the tool "${name}": ${metaLine(nested ?? flat)}`,
    });
    return;
  }
  if (nested === undefined && flat === undefined) {
    const uri = `${foreign}`.startsWith(UI_SCHEME) ? foreign : "ui://server/view.html";
    yield finding("foreign-key-only", "text-only", place, {
      cause: `The tool "${name}" names its view only under "openai/outputTemplate", which is ChatGPT's own key; every other host sees a tool without a view.`,
      remedy: `add to the tool "${name}": ${metaLine(uri)}`,
    });
    return;
  }
  if (nested === undefined) {
    yield finding("flat-key-only", "text-only", place, {
      cause: `The tool "${name}" names its view only under the deprecated key _meta["${RESOURCE_URI_META_KEY}"]; a host that reads _meta.ui.resourceUri shows text.`,
      remedy: `add to the tool "${name}": ${metaLine(flat)}`,
    });
  } else if (flat === undefined) {
    yield finding("nested-key-only", "note", place, {
      cause: `The tool "${name}" has no _meta["${RESOURCE_URI_META_KEY}"], the only key that older hosts read.`,
      remedy: `add to the tool "${name}": ${metaLine(nested)}`,
    });
  } else if (nested !== flat) {
    yield finding("two-addresses", "broken", place, {
      cause: `The tool "${name}" names two views, ${brief(nested)} under _meta.ui.resourceUri and ${brief(flat)} under _meta["${RESOURCE_URI_META_KEY}"], so hosts differ in which one they show.`,
      remedy: `write the same address twice on the tool "${name}": ${metaLine(nested)}`,
    });
  }
}

function* addressFaults({ name, nested, flat }: UiTool, survey: Survey): Iterable<Finding> {
  const uri = nested ?? flat;
  if (uri === undefined) return;
  const place = { tool: name };
  if (typeof uri !== "string" || !uri.startsWith(UI_SCHEME) || uri === UI_SCHEME) {
    const served = survey.views.find(({ html }) => html !== undefined)?.uri;
    yield finding("bad-address", "text-only", place, {
      cause: `The tool "${name}" names ${brief(uri)} as its view; hosts only accept addresses that start with ui:// and read them from the server.`,
      remedy: `register the page as a resource and write on the tool "${name}": ${metaLine(served ?? `ui://${slug(name)}/view.html`)}`,
    });
    return;
  }
  if (/[{}]/.test(uri)) {
    const concrete = uri.replace(/[{][^}]*[}]/g, "view");
    yield finding(
      "template-address",
      "blank",
      { ...place, resource: uri },
      {
        cause: `The tool "${name}" names the template ${uri}; hosts don't fill in templates and read the address literally.`,
        remedy: `give the view one fixed address, and send its data with the result: ${metaLine(concrete)}`,
      },
    );
  }
}

function* visibilityFaults({ name, tool, uri }: UiTool, survey: Survey): Iterable<Finding> {
  const { visibility } = asRecord(asRecord(tool._meta).ui);
  if (visibility === undefined) return;
  const place = { tool: name };
  const known = Array.isArray(visibility)
    ? visibility.filter((party) => party === "model" || party === "app")
    : [];
  if (known.length === 0 || known.length !== visibility.length) {
    yield finding("bad-visibility", "text-only", place, {
      cause: `The tool "${name}" has the visibility ${brief(visibility)}, which is not a list of "model" and "app"; strict hosts let neither call it.`,
      remedy: `write on the tool "${name}": visibility: ["model", "app"], or leave it out`,
    });
  } else if (!known.includes("model") && !isOpenedOtherwise(uri, survey)) {
    yield finding("hidden-tool", "text-only", place, {
      cause: `The tool "${name}" has a view but is visible to ${brief(visibility)} only, so no model can call it and its view is never opened.`,
      remedy: `write on the tool "${name}": visibility: ["model", "app"]; keep ["app"] for tools that the view calls itself, and remove their resourceUri`,
    });
  }
}

/** Tools that a view calls itself may name the view they belong to; another tool opens it. */
function isOpenedOtherwise(uri: string | undefined, { uiTools }: Survey): boolean {
  return uiTools.some(({ tool, uri: named }) => {
    const { visibility } = asRecord(asRecord(tool._meta).ui);
    return named === uri && (!Array.isArray(visibility) || visibility.includes("model"));
  });
}

function* policyFaults({ name, tool, uri }: UiTool): Iterable<Finding> {
  const ui = asRecord(asRecord(tool._meta).ui);
  for (const key of ["csp", "permissions", "domain", "prefersBorder"]) {
    if (ui[key] === undefined) continue;
    yield finding(
      "policy-on-tool",
      key === "csp" ? "blank" : "broken",
      { tool: name, resource: uri },
      {
        cause: `The tool "${name}" has _meta.ui.${key}; hosts read it from the resource and ignore it here.`,
        remedy: `move it to the content of ${uri ?? "the resource"} in resources/read: _meta: { ui: { ${key}: ${brief(ui[key], 200)} } }`,
      },
    );
  }
}

function slug(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9-]+/g, "-") || "server";
}
