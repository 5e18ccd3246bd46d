// Installs CopilotKit once per machine, outside the repository: it brings some 300 packages.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Made, provide } from "../../../packages/gateway/test/interop/cache.ts";

const VERSION = "1.74.0";

/** The folder with CopilotKit in its `node_modules`, or why there is none. */
export function installCopilotKit(): Made {
  return provide({
    name: "copilotkit",
    inputs: [VERSION],
    make: (folder) => {
      const dependencies = {
        "@copilotkit/react-core": VERSION,
        react: "19.3.1",
        "react-dom": "19.3.1",
      };
      writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
      return [{ argv: ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"] }];
    },
  });
}
