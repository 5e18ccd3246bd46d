// Entry of `npm run redteam`: the suite itself runs in a namespace of its own (see there why).
import { fileURLToPath } from "node:url";
import { runInNamespace } from "./lab/private-namespace.ts";

const suite = fileURLToPath(new URL("./suite.ts", import.meta.url));
process.exitCode = await runInNamespace(suite, process.argv.slice(2));
