import { existsSync, readFileSync } from "node:fs";
import { CHANNELS } from "./channels/channel-table.ts";
import { CHECKS } from "./checks/check-table.ts";
import { FINDINGS, findingTests } from "./findings.ts";
import { GATEWAY_ATTACKS } from "./gateway/attacks/index.ts";

/** One line of the attack catalogue. */
export interface Attack {
  readonly id: number;
  readonly section: string;
  readonly attack: string;
}

/** Where an attack is automated, or why it is not. */
export interface Coverage {
  readonly attack: Attack;
  /** Ids of channels, checks and gateway attacks of this suite. */
  readonly here: readonly string[];
  /** Test files of packages. */
  readonly elsewhere: readonly string[];
  /** Why nothing of it is automated in this suite, or what part is not. */
  readonly reason?: string;
  /** The part of the system that has to hold it, when that is not the sandbox. */
  readonly owner?: "host" | "gateway";
}

/** Channels that no control has ever made fire in Chromium; they count as untested. */
export const NEVER_FIRED: readonly string[] = [
  ...["svg_use", "js_sourcemap", "link_prerender", "link_icon", "link_manifest", "spec_prefetch"],
  ...["spec_prerender", "worker_remote", "attributionsrc", "csp_report_meta"],
];

const TESTS = "packages/sandbox/test";
const HOST_TESTS = "packages/host/test";
const PROTOCOL_TESTS = "packages/protocol/test";
const GATEWAY_TESTS = "packages/gateway/test";
const CLUSTER_TESTS = "packages/cluster/test";
const SOURCE_TESTS = [`${TESTS}/source.test.ts`];
const CLI_TESTS = "packages/cli/test";
const INJECTION_TESTS = [`${CLI_TESTS}/e2e/chat-injection.e2e.test.ts`];
const SERVER_HALF_TESTS = [`${HOST_TESTS}/remote/apps-handler.test.ts`];
const MESSAGE_TESTS = [`${TESTS}/relay/hostile-messages.timed.test.ts`];

/** Tests next to the code, for attacks that need no browser or are tested there in more detail. */
const ELSEWHERE: Readonly<Record<number, readonly string[]>> = {
  30: SOURCE_TESTS,
  76: [`${TESTS}/relay/relaying.e2e.test.ts`],
  79: [`${TESTS}/relay/token-bucket.e2e.test.ts`],
  80: MESSAGE_TESTS,
  81: MESSAGE_TESTS,
  83: MESSAGE_TESTS,
  85: [`${HOST_TESTS}/request-gate.test.ts`, `${HOST_TESTS}/bridge-fuzz.test.ts`],
  86: [`${HOST_TESTS}/request-gate-order.test.ts`],
  87: [`${PROTOCOL_TESTS}/peer-handlers.test.ts`, `${HOST_TESTS}/bridge-server-traffic.test.ts`],
  90: [`${HOST_TESTS}/bridge-lifecycle.test.ts`],
  91: [`${HOST_TESTS}/bridge-server-traffic.test.ts`],
  92: [`${HOST_TESTS}/bridge-lifecycle.test.ts`],
  93: SOURCE_TESTS,
  94: SOURCE_TESTS,
  95: [`${TESTS}/csp-fuzz.test.ts`],
  96: SOURCE_TESTS,
  97: SOURCE_TESTS,
  98: [`${TESTS}/csp.test.ts`],
  99: [`${TESTS}/csp.test.ts`],
  107: [`${TESTS}/permissions-policy.test.ts`],
  108: [`${TESTS}/relay/senders.e2e.test.ts`, `${TESTS}/registration.test.ts`],
  100: [`${HOST_TESTS}/ui-resource.test.ts`, `${HOST_TESTS}/e2e/policy.e2e.test.ts`],
  103: [`${HOST_TESTS}/ui-resource.test.ts`],
  109: [`${TESTS}/csp.test.ts`],
  110: [`${PROTOCOL_TESTS}/apps/links.test.ts`],
  111: [`${PROTOCOL_TESTS}/apps/links.test.ts`, `${PROTOCOL_TESTS}/apps/private-host.test.ts`],
  112: [`${HOST_TESTS}/bridge-links.test.ts`],
  113: [
    `${PROTOCOL_TESTS}/apps/download-name.test.ts`,
    `${HOST_TESTS}/page-actions.browser.test.ts`,
  ],
  114: [`${HOST_TESTS}/page-actions.browser.test.ts`],
  115: [`${HOST_TESTS}/bridge-messages.test.ts`],
  116: [`${HOST_TESTS}/bridge-messages.test.ts`],
  117: [`${HOST_TESTS}/model-context.test.ts`],
  118: [`${HOST_TESTS}/frame-size.test.ts`, `${HOST_TESTS}/e2e/frame-size.timed.test.ts`],
  119: [`${HOST_TESTS}/bridge-display-mode.test.ts`, `${HOST_TESTS}/e2e/surface-modes.e2e.test.ts`],
  120: [`${HOST_TESTS}/app-tools.test.ts`, `${HOST_TESTS}/app-tools-calls.test.ts`],
  121: [`${HOST_TESTS}/bridge-messages.test.ts`],
  122: [`${HOST_TESTS}/live-views.test.ts`],
  123: [`${HOST_TESTS}/theme.test.ts`],
  124: [`${HOST_TESTS}/consent-dialog-content.browser.test.ts`],
  125: [`${GATEWAY_TESTS}/policy/admission.process.test.ts`],
  126: [`${GATEWAY_TESTS}/policy/admission.process.test.ts`],
  127: [`${GATEWAY_TESTS}/config/load.test.ts`],
  128: [`${GATEWAY_TESTS}/policy/admission.process.test.ts`],
  129: [
    `${PROTOCOL_TESTS}/apps/tool-policy.test.ts`,
    `${GATEWAY_TESTS}/policy/visibility.process.test.ts`,
  ],
  130: [
    `${PROTOCOL_TESTS}/apps/tool-policy.test.ts`,
    `${HOST_TESTS}/request-gate-tools.test.ts`,
    `${GATEWAY_TESTS}/policy/visibility.process.test.ts`,
  ],
  131: [`${GATEWAY_TESTS}/policy/visibility.process.test.ts`],
  132: [`${GATEWAY_TESTS}/policy/frames.process.test.ts`],
  133: [`${GATEWAY_TESTS}/upstreams/address-guard.process.test.ts`],
  134: [`${GATEWAY_TESTS}/identity/login.process.test.ts`],
  135: [
    `${GATEWAY_TESTS}/audit/redaction.test.ts`,
    `${GATEWAY_TESTS}/identity/login.process.test.ts`,
  ],
  136: [`${GATEWAY_TESTS}/policy/consent.process.test.ts`],
  137: [`${HOST_TESTS}/consent-dialog-arming.browser.test.ts`],
  138: [`${HOST_TESTS}/consent-memory.test.ts`, `${GATEWAY_TESTS}/policy/consent.process.test.ts`],
  139: [`${GATEWAY_TESTS}/policy/sharing.process.test.ts`],
  140: [`${GATEWAY_TESTS}/upstreams/http-faults.process.test.ts`],
  141: [
    `${GATEWAY_TESTS}/upstreams/http-faults.process.test.ts`,
    `${GATEWAY_TESTS}/upstreams/stdio.process.test.ts`,
  ],
  142: [
    `${GATEWAY_TESTS}/upstreams/stdio.process.test.ts`,
    `${GATEWAY_TESTS}/upstreams/stdio-processes.process.test.ts`,
  ],
  143: [`${GATEWAY_TESTS}/audit/verify.test.ts`],
  144: [`${GATEWAY_TESTS}/engine/contract.process.test.ts`],
  145: [`${GATEWAY_TESTS}/policy/frames.process.test.ts`],
  146: [`${GATEWAY_TESTS}/policy/consent.process.test.ts`],
  147: [`${HOST_TESTS}/e2e/focus-guard.timed.test.ts`],
  148: [`${HOST_TESTS}/e2e/surface.e2e.test.ts`],
  229: [`${HOST_TESTS}/model-text.test.ts`],
  230: [`${HOST_TESTS}/model-text.test.ts`],
  231: [`${HOST_TESTS}/model-text.test.ts`],
  232: [`${HOST_TESTS}/output-schema.test.ts`],
  233: ["packages/cli/test/security/s14-dev-server.process.test.ts"],
  234: [
    "packages/server/test/discovery/discovered-views.process.test.ts",
    `${GATEWAY_TESTS}/identity/login.process.test.ts`,
  ],
  177: [
    `${CLUSTER_TESTS}/nats/hostile-peer.cluster.test.ts`,
    `${CLUSTER_TESTS}/nats/ownership.cluster.test.ts`,
  ],
  178: [`${CLUSTER_TESTS}/nats/hostile-peer.cluster.test.ts`, `${CLUSTER_TESTS}/chunks.test.ts`],
  179: [`${CLUSTER_TESTS}/grants.test.ts`],
  180: [`${CLUSTER_TESTS}/nats/connection.cluster.test.ts`],
  181: [`${CLUSTER_TESTS}/nats/hostile-peer.cluster.test.ts`, `${CLUSTER_TESTS}/envelope.test.ts`],
  182: [`${GATEWAY_TESTS}/edge/resume-buffer.test.ts`],
  207: [`${HOST_TESTS}/consent-dialog.browser.test.ts`, `${HOST_TESTS}/question-limit.test.ts`],
  208: [`${HOST_TESTS}/question-limit.test.ts`],
  209: [`${HOST_TESTS}/bridge-server-traffic.test.ts`, `${HOST_TESTS}/bridge-messages.test.ts`],
  210: [`${HOST_TESTS}/consent-dialog.browser.test.ts`],
  211: [`${HOST_TESTS}/consent-memory.test.ts`],
  212: [`${HOST_TESTS}/consent-memory.test.ts`],
  241: SERVER_HALF_TESTS,
  242: SERVER_HALF_TESTS,
  243: SERVER_HALF_TESTS,
  244: [...SERVER_HALF_TESTS, `${HOST_TESTS}/remote/signed-token.test.ts`],
  245: SERVER_HALF_TESTS,
  246: SERVER_HALF_TESTS,
  247: INJECTION_TESTS,
  248: INJECTION_TESTS,
  249: INJECTION_TESTS,
  250: INJECTION_TESTS,
  251: [`${CLI_TESTS}/chat/page-guard.process.test.ts`, "test/chat/gateway-chat.e2e.test.ts"],
  252: [`${CLI_TESTS}/chat/page-guard.process.test.ts`],
  253: ["test/chat/gateway-chat.e2e.test.ts"],
};

/** Attacks that this suite doesn't automate, wholly or in part, with reasons. */
const REASONS: Readonly<Record<number, string>> = {
  17: "attempted, but speculation rules do nothing in a frame: its control cannot fire either",
  29: "attempted, but browsers ignore a report address in a meta element, so its control cannot fire either",
  42: "the operating system's side needs a desktop shell; here: no window and no navigation of the host",
  46: "the host's own frame-src and port; here: the mute page in the view's place",
  64: "exhausting gigabytes would take the test machine down; here: the process ended by the browser",
  69: "timing attacks are not provable by a test; here: no shared memory, no isolation, own process",
  115: "what a model makes of words that the user let through is not provable by a test",
  116: "words that can be seen are let through, whatever syntax they imitate",
  119: "Escape is the view's while it has the focus; the host's bar is above it all the time",
  148: "that nobody is taken in by what is drawn inside the frame; here: what the host draws around it",
  149: "no policy forbids it in a click: what happens is printed, not judged",
  150: "vibrating in a click cannot be forbidden: printed, not judged",
  177: "a client that may delete keys in NATS can end a claim, and then a session has two owners; here: leases",
  151: "what is dragged out of a view, the product's own fields would have to mark",
};

const OWNERS: Readonly<Record<number, "host" | "gateway">> = {
  75: "host",
  85: "host",
  86: "host",
  87: "host",
  89: "host",
  90: "host",
  91: "host",
  92: "host",
  100: "host",
  103: "host",
};

/** Sections whose every entry has to be held by somebody here. */
const OUR_SECTIONS = ["A", "B", "C", "D", "E", "F", "G", "H", "I"];
const SECTION_OWNERS: Readonly<Record<string, "host" | "gateway">> = {
  F: "host",
  G: "gateway",
  H: "host",
  I: "host",
};

export function readAttacks(): readonly Attack[] {
  return JSON.parse(readFileSync(new URL("./attacks.json", import.meta.url), "utf8"));
}

export function coverage(): Coverage[] {
  return readAttacks().map((attack) => {
    const reason = REASONS[attack.id];
    const owner = SECTION_OWNERS[attack.section] ?? OWNERS[attack.id];
    const finding = FINDINGS[attack.id];
    return {
      attack,
      here: [
        ...CHANNELS.filter(({ entry }) => entry === attack.id).map(({ id }) => id),
        ...CHECKS.filter(({ entries }) => entries.includes(attack.id)).map(({ id }) => id),
        ...GATEWAY_ATTACKS.filter(({ entries }) => entries.includes(attack.id)).map(({ id }) => id),
      ],
      elsewhere: [...(ELSEWHERE[attack.id] ?? []), ...(finding ? findingTests(finding) : [])],
      ...(reason && { reason }),
      ...(owner && { owner }),
    };
  });
}

/** The problems of the catalogue: numbers out of order, attacks without a test, test files that don't exist. */
export function catalogueComplaints(): string[] {
  const entries = coverage();
  const numbers = entries.map(({ attack }) => attack.id);
  const known = new Set(numbers);
  const named = [
    ...CHANNELS.map(({ entry }) => entry),
    ...[...CHECKS, ...GATEWAY_ATTACKS].flatMap((one) => one.entries),
  ];
  return [
    ...numbers.flatMap((id, at) =>
      id > (numbers[at - 1] ?? 0) ? [] : [`number ${id} is out of order or there twice`],
    ),
    ...named.filter((id) => !known.has(id)).map((id) => `number ${id} is not in the catalogue`),
    ...entries
      .filter(({ attack }) => OUR_SECTIONS.includes(attack.section))
      .filter(({ here, elsewhere, reason }) => here.length + elsewhere.length === 0 && !reason)
      .map(({ attack }) => `${attack.id} (${attack.attack}) is neither automated nor explained`),
    ...entries
      .flatMap(({ elsewhere }) => elsewhere)
      .filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))
      .map((path) => `${path} does not exist`),
  ];
}

/** The catalogue in figures. */
export function catalogueSummary(): string {
  const entries = coverage();
  const ours = entries.filter(({ attack }) => OUR_SECTIONS.includes(attack.section));
  // An attack that never got anywhere without a sandbox either proves nothing about the sandbox.
  const isProven = ({ here }: Coverage) => here.some((id) => !NEVER_FIRED.includes(id));
  const proven = ours.filter(isProven);
  const partly = proven.filter(({ reason }) => reason !== undefined).length;
  const beside = ours.filter((entry) => !isProven(entry) && entry.elsewhere.length > 0);
  const explained = ours.length - proven.length - beside.length;
  return `catalogue: ${ours.length} entries: ${proven.length} automated here (${partly} of them in part), ${beside.length} in package tests, ${explained} with a reason`;
}
