// Entry of `npm run redteam:gateway`.

import { runAttacks } from "./attack-run.ts";
import { runFuzz } from "./fuzz/fuzz-run.ts";
import { runGatewayMutations } from "./mutation-run.ts";
import { runNeighbour } from "./neighbour/neighbour-run.ts";
import { GATEWAY_USAGE, type GatewayRunOptions, readGatewayOptions } from "./options.ts";
import { runStalled } from "./stalled/stalled-run.ts";

// Everything a part started ends with it, also when it is interrupted.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

async function main(): Promise<number> {
  let options: GatewayRunOptions;
  try {
    options = readGatewayOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${GATEWAY_USAGE}`);
    return 2;
  }
  return (await run(options)) ? 0 : 1;
}

function run(options: GatewayRunOptions): Promise<boolean> {
  if (options.without.length > 0) return runGatewayMutations(options);
  if (options.part === "fuzz") return runFuzz(options);
  if (options.part === "neighbour") return runNeighbour();
  if (options.part === "stalled") return runStalled();
  return runAttacks(options);
}

main().then(
  (code) => process.exit(code),
  (error: Error) => {
    console.error(error.stack ?? error.message);
    process.exit(1);
  },
);
