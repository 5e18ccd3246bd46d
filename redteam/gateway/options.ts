import { parseArgs } from "node:util";

/** What a run of the attacks was asked to do. */
export interface GatewayRunOptions {
  readonly quick: boolean;
  /** Ids of attacks; empty for all. */
  readonly only: readonly string[];
  /** Names of defences to take away, `all` for each in turn. */
  readonly without: readonly string[];
  /** Frames that the fuzz run sends. */
  readonly frames: number;
  /** Seed of the fuzz run. */
  readonly seed: number;
  /** The part to run: the attacks, or one of the longer measurements. */
  readonly part: Part;
}

const PARTS = ["attacks", "fuzz", "neighbour", "stalled"] as const;
type Part = (typeof PARTS)[number];

export const GATEWAY_USAGE = `npm run redteam:gateway [-- part] [-- options]
  (no part)            every attack against real gateway processes
  fuzz                 hostile frames: what the gateway checked against what Python and Go read
  neighbour            one tenant attacks for 30 s while another tenant's latency is measured
  stalled              10,000 stalled connections: memory, and that all are closed

  --quick              attacks that take less than a minute in total
  --only <ids>         some attacks, separated by commas
  --without <defence>  remove a defence and check that its tests notice; "all" for each in turn
  --frames <n>         frames of the fuzz run, 100000 by default
  --seed <n>           seed of the fuzz run; a run prints its own`;

/** Reads the command line; throws with a message for the user where it is wrong. */
export function readGatewayOptions(parameters: readonly string[]): GatewayRunOptions {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", default: "" },
      without: { type: "string", default: "" },
      frames: { type: "string", default: "100000" },
      seed: { type: "string", default: `${Date.now() % 2 ** 31}` },
    },
  });
  const [part = "attacks", ...more] = positionals;
  const known = PARTS.find((name) => name === part);
  if (!known || more.length > 0) throw new Error(`There is no part "${positionals.join(" ")}".`);
  const list = (text: string) => text.split(",").filter((word) => word !== "");
  return {
    part: known,
    quick: values.quick,
    only: list(values.only),
    without: list(values.without),
    frames: toCount("--frames", values.frames),
    seed: toCount("--seed", values.seed),
  };
}

function toCount(option: string, text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new Error(`${option} needs a whole number above zero, not "${text}".`);
  }
  return count;
}
