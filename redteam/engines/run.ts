// The three engines, each in the namespace whose name server is ours: see there why.
import { fileURLToPath } from "node:url";
import { runInNamespace } from "../lab/private-namespace.ts";

const suite = fileURLToPath(new URL("./engine-suite.ts", import.meta.url));
process.exitCode = await runInNamespace(suite, process.argv.slice(2));
