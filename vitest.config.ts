import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { bundledScript } from "./testing/src/bundled-script.ts";
import { CHROMIUM, CHROMIUM_SWITCHES } from "./testing/src/chromium.ts";

// Tests run on the sources: the private export condition comes first, then Vite's own.
const conditions = ["@vitrine/source", "module", "browser", "development|production"];
const ssrConditions = ["@vitrine/source", "module", "node", "development|production"];

// Real Chromium driven from Node.
const E2E = [
  "packages/sandbox/test/relay/**/*.test.ts",
  "packages/sandbox/test/egress.test.ts",
  "packages/{cli,conformance,gateway,host,server}/test/e2e/**/*.test.ts",
  "packages/server/test/templates/**/*.test.ts",
];
// Those of them that measure time or the heap: a neighbour would be measured too.
const TIMED = [
  "packages/sandbox/test/relay/{hostile-messages,navigation}.test.ts",
  "packages/sandbox/test/egress.test.ts",
  "packages/host/test/e2e/{cycles,egress,focus-guard,frame-size,life}.test.ts",
];
// They need a nats-server.
const CLUSTER = [
  "packages/gateway/test/nats/**/*.test.ts",
  "packages/gateway/test/security/s22-stored-values.test.ts",
];
const onSources = {
  resolve: { conditions: ssrConditions },
  ssr: { resolve: { conditions: ssrConditions } },
};

export default defineConfig({
  test: {
    projects: [
      {
        ...onSources,
        test: {
          name: "unit",
          environment: "node",
          // Many of them start processes: on a busy machine that takes longer than it should.
          testTimeout: 20_000,
          hookTimeout: 30_000,
          retry: 1,
          include: [
            "{packages/*,testing,scripts,redteam,test}/test/**/*.test.ts",
            "test/*.test.ts",
          ],
          exclude: ["**/node_modules/**", "**/*.browser.test.ts", ...E2E, ...CLUSTER],
        },
      },
      {
        ...onSources,
        test: {
          // Each file starts a Chromium of its own and waits more than it works. Once more before a busy
          // machine counts as a failure.
          name: "e2e",
          environment: "node",
          include: E2E,
          exclude: ["**/node_modules/**", ...TIMED],
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
          retry: 2,
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        ...onSources,
        test: {
          name: "timed",
          environment: "node",
          include: TIMED,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
          retry: 2,
          testTimeout: 30_000,
        },
      },
      {
        ...onSources,
        test: {
          name: "cluster",
          environment: "node",
          include: CLUSTER,
          fileParallelism: false,
          sequence: { groupOrder: 4 },
          retry: 1,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        plugins: [bundledScript()],
        resolve: { conditions },
        test: {
          name: "browser",
          sequence: { groupOrder: 1 },
          // Some of them wait for frames that a busy machine does not paint in time.
          retry: 2,
          include: [
            "packages/*/test/**/*.browser.test.{ts,tsx}",
            "test/**/*.browser.test.{ts,tsx}",
          ],
          exclude: ["**/node_modules/**"],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: {
                executablePath: CHROMIUM,
                args: [...CHROMIUM_SWITCHES],
              },
            }),
            instances: [{ browser: "chromium" }],
          },
        },
      },
    ],
  },
});
