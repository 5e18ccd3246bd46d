import { printable } from "@vitrine/protocol/printable";
import { createLog } from "../../observability/log.ts";
import { createMetrics } from "../../observability/metrics.ts";
import { createScrubber } from "../../observability/scrubber.ts";
import { FairSlots } from "../../upstreams/index.ts";
import { summary } from "../banner.ts";
import { policyCheck } from "../policy-command.ts";
import { programWarnings } from "../program-check.ts";
import { prepareSandbox } from "../sandbox.ts";
import { createServerSet } from "../server-set.ts";
import { type Command, defineCommand, loadGiven } from "./command.ts";

/** `config check`: checks everything that doesn't need an open port or folder. */
export const configCheckCommand: Command = defineCommand({
  name: "config check",
  alias: "check",
  usage: ["config check --config gateway.yaml"],
  run: async (given, context) => {
    const loaded = await loadGiven(given, context);
    const { config, warnings, file } = loaded;
    for (const warning of [...warnings, ...(await programWarnings(loaded))]) {
      context.err(`${printable(warning)}\n`);
    }
    const metrics = createMetrics();
    const log = createLog({ level: "silent", scrubber: () => createScrubber([]) });
    const spawns = new FairSlots({ limit: 1, queue: 1 });
    const parts = { metrics, log, credentials: undefined, spawns };
    const servers = createServerSet(config.servers, parts);
    await Promise.all(Object.values(servers.opened).map(({ upstream }) => upstream.close()));
    metrics.close();
    if (config.policy) await policyCheck(config.policy.folder, context.out);
    if (config.sandbox) {
      const sandbox = prepareSandbox(config, config.sandbox, new Uint8Array(32));
      for (const { message } of sandbox.warnings) context.err(`${message}\n`);
      sandbox.close();
    }
    for (const line of summary(config)) context.out(`${printable(line)}\n`);
    context.out(`${file} is valid.\n`);
    return 0;
  },
});
