import { existsSync, readFileSync } from "node:fs";
import { CHANNELS } from "./channels/channel-table.ts";
import { CHECKS } from "./checks/check-table.ts";

/** One line of the attack catalogue. */
export interface Attack {
  readonly id: number;
  readonly section: string;
  readonly attack: string;
}

/** Where an attack is automated, or why it is not. */
export interface Coverage {
  readonly attack: Attack;
  /** Ids of channels and checks of this suite. */
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
const SOURCE_TESTS = [`${TESTS}/source.test.ts`];
const MESSAGE_TESTS = [`${TESTS}/relay/hostile-messages.test.ts`];

/** Tests beside the code, for what needs no browser or is tested there in more detail. */
const ELSEWHERE: Readonly<Record<number, readonly string[]>> = {
  30: SOURCE_TESTS,
  76: [`${TESTS}/relay/relaying.test.ts`],
  79: [`${TESTS}/relay/token-bucket.test.ts`],
  80: MESSAGE_TESTS,
  81: MESSAGE_TESTS,
  83: MESSAGE_TESTS,
  87: ["packages/protocol/test/peer-handlers.test.ts"],
  93: SOURCE_TESTS,
  94: SOURCE_TESTS,
  95: [`${TESTS}/csp-fuzz.test.ts`],
  96: SOURCE_TESTS,
  97: SOURCE_TESTS,
  98: [`${TESTS}/csp.test.ts`],
  99: [`${TESTS}/csp.test.ts`],
  107: [`${TESTS}/permissions-policy.test.ts`],
  108: [`${TESTS}/relay/senders.test.ts`, `${TESTS}/registration.test.ts`],
  109: [`${TESTS}/csp.test.ts`],
};

const HOST_STATE = "a rule of the host's session, which does not exist in this package";

/** What is not automated in this suite, wholly or in part, and why. */
const REASONS: Readonly<Record<number, string>> = {
  17: "attempted, but speculation rules do nothing in a frame: its control cannot fire either",
  29: "attempted, but browsers ignore a report address in a meta element, so its control cannot fire either",
  42: "the operating system's side needs a desktop shell; here: no window and no navigation of the host",
  46: "the host's own frame-src and port; here: the mute page in the view's place",
  64: "exhausting gigabytes would take the test machine down; here: the process ended by the browser",
  69: "timing attacks are not provable by a test; here: no shared memory, no isolation, own process",
  75: "the host counts and stops its sender; here: one such message costs it nothing",
  85: HOST_STATE,
  86: HOST_STATE,
  87: HOST_STATE,
  89: HOST_STATE,
  90: HOST_STATE,
  91: HOST_STATE,
  92: HOST_STATE,
  100: "the host compares what was listed with what was read; the sandbox sees one of them",
  103: "media type, number of contents and URI are the host's to check; here: the size",
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

const SANDBOX_SECTIONS = ["A", "B", "C", "D", "E"];
const SECTION_OWNERS: Readonly<Record<string, "host" | "gateway">> = {
  F: "host",
  G: "gateway",
  H: "host",
};

export function readAttacks(): readonly Attack[] {
  return JSON.parse(readFileSync(new URL("./attacks.json", import.meta.url), "utf8"));
}

export function coverage(): Coverage[] {
  return readAttacks().map((attack) => {
    const reason = REASONS[attack.id];
    const owner = SECTION_OWNERS[attack.section] ?? OWNERS[attack.id];
    return {
      attack,
      here: [
        ...CHANNELS.filter(({ entry }) => entry === attack.id).map(({ id }) => id),
        ...CHECKS.filter(({ entries }) => entries.includes(attack.id)).map(({ id }) => id),
      ],
      elsewhere: ELSEWHERE[attack.id] ?? [],
      ...(reason && { reason }),
      ...(owner && { owner }),
    };
  });
}

/** What is wrong with the catalogue: gaps, attacks nobody holds, test files that do not exist. */
export function catalogueComplaints(): string[] {
  const entries = coverage();
  const numbers = entries.map(({ attack }) => attack.id);
  const known = new Set(numbers);
  const named = [...CHANNELS.map(({ entry }) => entry), ...CHECKS.flatMap((one) => one.entries)];
  return [
    ...numbers.flatMap((id, at) => (id === at + 1 ? [] : [`number ${at + 1} is missing`])),
    ...named.filter((id) => !known.has(id)).map((id) => `number ${id} is not in the catalogue`),
    ...entries
      .filter(({ attack }) => SANDBOX_SECTIONS.includes(attack.section))
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
  const ours = entries.filter(({ attack }) => SANDBOX_SECTIONS.includes(attack.section));
  // An attack that never got anywhere without a sandbox either proves nothing about the sandbox.
  const isProven = ({ here }: Coverage) => here.some((id) => !NEVER_FIRED.includes(id));
  const proven = ours.filter(isProven);
  const partly = proven.filter(({ reason }) => reason !== undefined).length;
  const beside = ours.filter((entry) => !isProven(entry) && entry.elsewhere.length > 0);
  const explained = ours.length - proven.length - beside.length;
  const others = entries.length - ours.length;
  return `catalogue: A–E ${ours.length} entries: ${proven.length} automated here (${partly} of them in part), ${beside.length} in package tests, ${explained} with a reason; F–H ${others} entries belong to host and gateway`;
}
