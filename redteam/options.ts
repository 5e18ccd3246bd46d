import { parseArgs } from "node:util";
import type { StageName } from "./stage/deployment.ts";

/** What a run was asked to do. */
export interface Options {
  readonly quick: boolean;
  /** Ids of channels and checks; empty for all. */
  readonly only: readonly string[];
  /** Where the chosen checks run, in place of their own stages. */
  readonly stage: StageName | undefined;
  /** Names of defences to take away, `all` for each in turn. */
  readonly without: readonly string[];
  /** Fail where look-ups cannot be seen, instead of only saying so. */
  readonly requireDns: boolean;
}

const STAGES = ["tier-1", "tier-1-listed", "tier-2", "tier-3"] as const;

export const USAGE = `npm run redteam [-- options]
  --quick              a representative subset, at most a minute
  --only <ids>         some channels and checks, separated by commas
  --stage <name>       run the checks of --only on this stage: ${STAGES.join(", ")}
  --without <defence>  take a defence away and see that it is missed; "all" for each in turn
  --require-dns        fail where DNS look-ups cannot be captured`;

/** Channels of the fast subset: at least one of each family, the hardest ones first. */
export const QUICK_CHANNELS: readonly string[] = [
  ...["rtc_stun_udp", "rtc_turn_tcp", "webtransport", "dns_prefetch", "preconnect", "fetch"],
  ...["websocket", "img", "css_url", "script_src", "iframe_src", "iframe_srcdoc_fetch"],
  ...["form_get", "nav_location", "nav_data_then", "worker_blob_fetch", "link_prefetch", "fedcm"],
];

export function readOptions(parameters: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", default: "" },
      stage: { type: "string" },
      without: { type: "string", default: "" },
      "require-dns": { type: "boolean", default: false },
    },
  });
  const stage = STAGES.find((name) => name === values.stage);
  if (values.stage !== undefined && (!stage || values.only === "")) {
    throw new Error(`--stage needs --only and one of ${STAGES.join(", ")}.`);
  }
  const list = (text: string) => text.split(",").filter((part) => part !== "");
  return {
    quick: values.quick,
    only: list(values.only),
    stage,
    without: list(values.without),
    requireDns: values["require-dns"],
  };
}
