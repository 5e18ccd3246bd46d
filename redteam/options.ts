import { parseArgs } from "node:util";

/** What a run was asked to do. */
export interface Options {
  readonly quick: boolean;
  /** Ids of channels and checks; empty for all. */
  readonly only: readonly string[];
  /** Names of defences to take away, `all` for each in turn. */
  readonly without: readonly string[];
  /** Fail where look-ups cannot be seen, instead of only saying so. */
  readonly requireDns: boolean;
}

export const USAGE = `npm run redteam [-- options]
  --quick              a representative subset, at most a minute
  --only <ids>         some channels and checks, separated by commas
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
      without: { type: "string", default: "" },
      "require-dns": { type: "boolean", default: false },
    },
  });
  const list = (text: string) => text.split(",").filter((part) => part !== "");
  return {
    quick: values.quick,
    only: list(values.only),
    without: list(values.without),
    requireDns: values["require-dns"],
  };
}
