// A view's metadata under `_meta.ui`.

import { createHash } from "node:crypto";
import { asRecord, brief, isRecord, type Json } from "../json.ts";
import { absent, type Finding, holds, judge, type Scenario } from "../scenario.ts";
import type { UiResource } from "../targets/server-survey.ts";
import type { ServerTarget } from "../targets/server-target.ts";
import { judgeViews } from "./every-era.ts";

/**
 * The metadata that hosts use: the content's, as a whole, and the list's only if there is none
 * (SRV-07).
 */
export function metadataOf({ entry, content }: UiResource): Json {
  return asRecord(asRecord(content?._meta).ui ?? asRecord(entry?._meta).ui);
}

const listed = ({ entry }: UiResource): unknown => asRecord(entry?._meta).ui;
const served = ({ content }: UiResource): unknown => asRecord(content?._meta).ui;

export const METADATA_SCENARIOS: readonly Scenario<ServerTarget>[] = [
  {
    title: "reads the metadata of every view in list and content",
    rules: ["SRV-06", "SRV-07"],
    run: async (target) => {
      const views = (await target.surveys()).flatMap(({ resources }) => resources);
      const none = "No view has metadata, in the list or in its content.";
      const both = views.filter((view) => isRecord(listed(view)) && isRecord(served(view)));
      return [
        views.some((view) => listed(view) !== undefined || served(view) !== undefined)
          ? await judgeViews("SRV-06", target, shapeFaults, "Metadata is well formed")
          : absent("SRV-06", none),
        both.length > 0
          ? await judgeViews("SRV-07", target, lostKeys, "The content's metadata is complete")
          : absent(
              "SRV-07",
              "No view has metadata in both places, so neither can take precedence.",
            ),
      ];
    },
  },
  {
    title: "compares a view's domain with the formats that hosts document",
    rules: ["SRV-08"],
    run: async (target) => [await judgeDomains(target)],
  },
  {
    title: "checks prefersBorder of every view",
    rules: ["SRV-09"],
    run: async (target) => [
      await judgeViews(
        "SRV-09",
        target,
        (view) =>
          typeof metadataOf(view).prefersBorder === "boolean"
            ? []
            : ["_meta.ui.prefersBorder is not set, so each host decides"],
        "Every view declares whether it wants a border",
      ),
    ],
  },
  {
    title: "compares the list of resources with the views that tools name",
    rules: ["SRV-10"],
    run: async (target) => {
      const views = (await target.surveys()).flatMap(({ resources }) => resources);
      if (views.length === 0) return [absent("SRV-10", "The server has no view.")];
      const unlisted = new Set(views.filter(({ entry }) => !entry).map(({ uri }) => uri));
      const note =
        unlisted.size > 0
          ? `Not in resources/list: ${[...unlisted].join(", ")}.`
          : "All are listed.";
      return [holds("SRV-10", note)];
    },
  },
];

const CSP_LISTS = ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"];
const PERMISSIONS = ["camera", "microphone", "geolocation", "clipboardWrite"];

function shapeFaults(view: UiResource): string[] {
  return [listed(view), served(view)].flatMap((ui) => {
    if (ui === undefined) return [];
    if (!isRecord(ui)) return [`_meta.ui is ${brief(ui)}, not an object`];
    return [...cspFaults(ui.csp), ...permissionFaults(ui.permissions)];
  });
}

function cspFaults(csp: unknown): string[] {
  if (csp === undefined) return [];
  if (!isRecord(csp)) return [`_meta.ui.csp is ${brief(csp)}, not an object`];
  return Object.entries(csp).flatMap(([name, list]) => {
    if (!CSP_LISTS.includes(name)) return [`_meta.ui.csp.${name} is not a list that hosts support`];
    const isList = Array.isArray(list) && list.every((source) => typeof source === "string");
    return isList ? [] : [`_meta.ui.csp.${name} is ${brief(list)}, not a list of origins`];
  });
}

function permissionFaults(permissions: unknown): string[] {
  if (permissions === undefined) return [];
  if (!isRecord(permissions)) return [`_meta.ui.permissions is ${brief(permissions)}`];
  return Object.entries(permissions).flatMap(([name, value]) => {
    if (!PERMISSIONS.includes(name)) return [`_meta.ui.permissions.${name} is not a permission`];
    return isRecord(value) ? [] : [`_meta.ui.permissions.${name} is ${brief(value)}, not {}`];
  });
}

/** The content's object replaces the list's, so a key that is only in the list is lost. */
function lostKeys(view: UiResource): string[] {
  const content = served(view);
  if (!isRecord(content)) return [];
  return Object.keys(asRecord(listed(view)))
    .filter((key) => !(key in content))
    .map((key) => `_meta.ui.${key} is only in the list, and the content's metadata replaces it`);
}

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/;

async function judgeDomains(target: ServerTarget): Promise<Finding> {
  const domains = (await target.surveys())
    .flatMap(({ resources }) => resources.map((view) => metadataOf(view).domain))
    .filter((domain) => domain !== undefined);
  if (domains.length === 0) {
    return absent("SRV-08", "No view requests a domain, which is right everywhere.");
  }
  const faults = domains.flatMap((domain) => domainFaults(domain, target.options.url));
  const known = domains.every((domain) => /\.(claudemcpcontent|oaiusercontent)\.com$/.test(domain));
  if (faults.length === 0 && !known) {
    return absent("SRV-08", `${brief(domains[0])} doesn't match any known host's format.`);
  }
  return judge("SRV-08", [...new Set(faults)], "Every domain has its host's format.");
}

function domainFaults(domain: unknown, url: string | URL | undefined): string[] {
  if (typeof domain !== "string" || !HOST_NAME.test(domain)) {
    return [`domain is ${brief(domain)}, not the name of a host`];
  }
  if (!domain.endsWith(".claudemcpcontent.com")) return [];
  // Claude shows no frame for a domain that isn't derived from its endpoint.
  const [label = ""] = domain.split(".");
  if (!/^[0-9a-f]{32}$/.test(label) || domain.split(".").length !== 3) {
    return [`${domain} is not 32 hexadecimal digits before claudemcpcontent.com`];
  }
  if (!url) return [];
  const expected = createHash("sha256").update(String(url)).digest("hex").slice(0, 32);
  return label === expected
    ? []
    : [`${domain} belongs to another endpoint; this one's is ${expected}`];
}
