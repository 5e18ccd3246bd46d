// Entry of `npm run redteam:gateway`.

import { runAttacks } from "./attack-run.ts";
import { runGatewayMutations } from "./mutation-run.ts";
import { GATEWAY_USAGE, readGatewayOptions } from "./options.ts";

// Everything a part started ends with it, also when it is interrupted.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

async function main(): Promise<boolean> {
  const options = readGatewayOptions(process.argv.slice(2));
  if (options.without.length > 0) return runGatewayMutations(options);
  return runAttacks(options);
}

main().then(
  (holds) => process.exit(holds ? 0 : 1),
  (error: Error) => {
    console.error(`${error.message}\n\n${GATEWAY_USAGE}`);
    process.exit(2);
  },
);
