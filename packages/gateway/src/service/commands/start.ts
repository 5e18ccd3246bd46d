import { printable } from "@vitrine/protocol/printable";
import { isSharedGateway } from "../../config/config.ts";
import { createLog } from "../../observability/log.ts";
import { createScrubber } from "../../observability/scrubber.ts";
import { banner } from "../banner.ts";
import { startService } from "../service.ts";
import { type Command, defineCommand, loadGiven } from "./command.ts";

/** `start` */
export const startCommand: Command = defineCommand({
  name: "start",
  usage: ["start --config gateway.yaml"],
  notes: [
    "--roles edge,runner,archiver sets the tasks of this process in a cluster.",
    "SIGHUP reloads the configuration, and so does a change of the file. SIGTERM waits for running calls, then stops.",
  ],
  run: async (given, context) => {
    const loaded = await loadGiven(given, context);
    let scrubber = createScrubber(loaded.secrets);
    const log = createLog({
      level: loaded.config.telemetry.log,
      scrubber: () => scrubber,
      ...(context.log && { destination: context.log }),
    });
    for (const warning of loaded.warnings) log.warn(warning);
    if (context.seal?.() === false && isSharedGateway(loaded.config)) {
      log.warn(
        "other processes of this user can read the gateway's memory. See docs/operate.md, Servers that are programs",
      );
    }
    const service = await startService(loaded, {
      log,
      signal: context.signal,
      environment: context.environment,
      onScrubber: (next) => {
        scrubber = next;
      },
    });
    // Standard output is for the log alone, so that each of its lines is JSON.
    for (const line of banner(service, loaded)) context.err(`${printable(line)}\n`);
    context.onStart(service);
    return undefined;
  },
});
