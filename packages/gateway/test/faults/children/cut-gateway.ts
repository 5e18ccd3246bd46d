// A program: the gateway of a configuration that breaks all its Views' connections on SIGUSR2, as a proxy
// before it would that is restarted.

import { loadConfig } from "../../../src/config/load.ts";
import { createLog } from "../../../src/observability/log.ts";
import { createScrubber } from "../../../src/observability/scrubber.ts";
import { startService } from "../../../src/service/service.ts";

const [file = ""] = process.argv.slice(2);
const loaded = await loadConfig(file);
const scrubber = createScrubber(loaded.secrets);
const log = createLog({ level: "error", scrubber: () => scrubber });
const service = await startService(loaded, { log });
process.on("SIGUSR2", () => service.gateway.dropViews());
process.on("SIGTERM", () => void service.close().then(() => process.exit(0)));
// Where the program of the package prints it, too.
process.stderr.write(`Engine     ${service.url}\n`);
