import { healthCommand } from "../health-command.ts";
import { type Command, defineCommand, loadGiven } from "./command.ts";

/** `health` */
export const healthCheckCommand: Command = defineCommand({
  name: "health",
  usage: ["health --config gateway.yaml [--ready]"],
  notes: [
    "health checks the running gateway: exit code 0 if it responds, 1 if it doesn't. With --ready, it must also accept requests.",
  ],
  options: { ready: { type: "boolean", default: false } },
  run: async (given, context) => {
    const { config } = await loadGiven(given, context);
    return (await healthCommand(config, { ...context, ready: given.ready })) ? 0 : 1;
  },
});
