// How a host finds a view: negotiation, discovery, reading.

import { EXTENSION_ID, RESOURCE_MIME_TYPE } from "@vitrine/protocol/apps";
import type { Frame } from "playwright-core";
import { asRecord, brief, type Json } from "../json.ts";
import { absent, type Finding, holds, judge, type Scenario } from "../scenario.ts";
import type { HostSession } from "../targets/host-session.ts";
import type { HostTarget } from "../targets/host-target.ts";
import { probeDocument } from "../targets/probe-view.ts";
import { OUTSIDE, reaches } from "../targets/reach.ts";
import { tool, VIEW, withHost } from "./host-setup.ts";

const OTHER = "ui://probe/other.html";

export const NEGOTIATION_SCENARIOS: readonly Scenario<HostTarget>[] = [
  {
    title: "lets the host connect to a server of both eras, and to one of the older",
    rules: ["HST-01", "HST-02", "HST-05", "HST-06"],
    run: async (target) => {
      const seen = await Promise.all([connect(target, false), connect(target, true)]);
      const said = seen.flatMap(({ extensions }) => extensions);
      const unread = seen.filter(({ reads }) => !reads.includes(VIEW));
      const eras = [...new Set(seen.flatMap(({ era }) => era))].join(" and ");
      return [
        judge("HST-01", extensionFaults(said), `The extension was announced in MCP ${eras}.`),
        judge("HST-02", mimeFaults(said), `It names ${RESOURCE_MIME_TYPE}.`),
        judge(
          "HST-05",
          unread.map(({ reads }) => `resources/read requested ${brief(reads)}, not ${VIEW}`),
          `resources/read requested ${VIEW}.`,
        ),
        holds(
          "HST-06",
          `Two views of one tool: ${brief(seen.map(({ reads }) => reads.length))} reads.`,
        ),
      ];
    },
  },
  {
    title: "calls a tool with a view and one without",
    rules: ["HST-03"],
    run: async (target) => {
      const isShown = await withHost(target, {}, async (session) =>
        session.view().then(() => true),
      );
      const tools = [{ tool: tool("plain") }];
      const request = { parts: { tools }, tool: "plain", isPlain: true };
      const plain = await withHost(target, request, async (session) => {
        await session.quiet(1000);
        return {
          views: session.views().length,
          reads: session.server.asked("resources/read"),
        };
      });
      const faults = [
        ...(isShown ? [] : ["the view of a tool was not shown"]),
        ...(plain.views > 0 ? ["a tool without a view got one"] : []),
        ...(plain.reads.length > 0
          ? [`for a tool without a view it read ${brief(plain.reads)}`]
          : []),
      ];
      return [judge("HST-03", faults, "The view is shown, and a tool without one stays text.")];
    },
  },
  {
    title: "names the view under the flat key, under both, and twice differently",
    rules: ["HST-04"],
    run: async (target) => {
      const read = (meta: Json): Promise<string[]> =>
        withHost(
          target,
          {
            isPlain: true,
            parts: {
              show: { meta },
              resources: [{ uri: OTHER, html: probeDocument({ greets: true }) }],
            },
          },
          async (session) => {
            await session.view(4000).catch(() => {});
            return session.server.asked("resources/read").map(({ uri }) => uri);
          },
        );
      const [flat, conflict] = await Promise.all([
        read({ "ui/resourceUri": VIEW }),
        read({ "ui/resourceUri": OTHER, ui: { resourceUri: VIEW } }),
      ]);
      const faults = [
        ...(flat.includes(VIEW) ? [] : ['_meta["ui/resourceUri"] alone is not accepted']),
        ...(conflict.includes(OTHER) ? ["the flat key took precedence over the nested one"] : []),
        ...(conflict.includes(VIEW) ? [] : ["with both keys the nested one is not used"]),
      ];
      return [
        judge("HST-04", faults, "Both keys are accepted, and the nested one takes precedence."),
      ];
    },
  },
  {
    title: "puts the view's metadata into the list, and into list and content",
    rules: ["HST-07"],
    run: async (target) => [await judgeMetadata(target)],
  },
];

interface Connection {
  /** The extension's value, each time that capabilities were sent. */
  extensions: unknown[];
  reads: string[];
  era: string[];
}

function connect(target: HostTarget, legacyOnly: boolean): Promise<Connection> {
  return withHost(target, { parts: { legacyOnly }, isPlain: true }, async (session) => {
    const { server } = session;
    const shown = await Promise.race([session.atLeast(1), calledAndQuiet(session)]);
    const isShown = shown.length > 0;
    const canShowMore = await session.page.evaluate(() => "conformance" in window);
    if (isShown && canShowMore) {
      await session.openMore({});
      await session.atLeast(2, 3000);
    }
    const said = server.calls.filter(({ capabilities }) => capabilities);
    const isLegacy = server.asked("initialize").length > 0;
    return {
      extensions: said.map(({ capabilities }) => asRecord(capabilities?.extensions)[EXTENSION_ID]),
      reads: server.asked("resources/read").map(({ uri }) => uri),
      era: [isLegacy ? "2025-11-25" : "2026-07-28"],
    };
  });
}

/** A host that has called the tool and then does nothing more for a while. */
async function calledAndQuiet(session: HostSession): Promise<Frame[]> {
  const { server } = session;
  while (server.callsOf("show").length === 0) await session.quiet(100);
  for (let round = 0; round < 50 && session.views().length === 0; round++) {
    await session.quiet(100);
    // It is still loading.
    if (server.asked("resources/read").length > 0) return session.atLeast(1);
  }
  return session.views();
}

function extensionFaults(said: readonly unknown[]): string[] {
  if (said.length === 0) return ["the client sent no capabilities"];
  const wrong = said.filter((one) => !Array.isArray(asRecord(one).mimeTypes));
  return wrong
    .slice(0, 1)
    .map((one) => `capabilities.extensions["${EXTENSION_ID}"] is ${brief(one)}`);
}

function mimeFaults(said: readonly unknown[]): string[] {
  const wrong = said.filter((one) => {
    const { mimeTypes } = asRecord(one);
    return !Array.isArray(mimeTypes) || !mimeTypes.includes(RESOURCE_MIME_TYPE);
  });
  if (said.length === 0) return ["the client sent no capabilities"];
  return wrong.slice(0, 1).map((one) => `mimeTypes is ${brief(asRecord(one).mimeTypes)}`);
}

async function judgeMetadata(target: HostTarget): Promise<Finding> {
  const declare = (origin: string): Json => ({ csp: { connectDomains: [origin] } });
  const reached = (listed: Json, served?: Json): Promise<string[]> =>
    withHost(
      target,
      { parts: { resource: { listed, ...(served && { served }) } } },
      async (session) => {
        const view = await session.view();
        const origins = [OUTSIDE.connect, OUTSIDE.resource];
        const found = await Promise.all(
          origins.map((origin) => reaches(view, session.asked, origin, ["fetch"])),
        );
        return origins.filter((_, index) => (found[index]?.length ?? 0) > 0);
      },
    );
  const [listed, both] = await Promise.all([
    reached(declare(OUTSIDE.connect)),
    reached(declare(OUTSIDE.connect), declare(OUTSIDE.resource)),
  ]);
  const faults = [
    ...(listed.includes(OUTSIDE.connect)
      ? []
      : ["a domain declared only in the list is not granted"]),
    ...(both.includes(OUTSIDE.resource) ? [] : ["a domain declared in the content is not granted"]),
    ...(both.includes(OUTSIDE.connect)
      ? ["the list's metadata is used in addition to the content's"]
      : []),
  ];
  if (listed.length + both.length === 0) {
    return absent(
      "HST-07",
      "No declared domain was ever granted, so the source of metadata is unknown.",
    );
  }
  return judge(
    "HST-07",
    faults,
    "The content's metadata is used, and the list's if there is none.",
  );
}
