import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { bundledScript } from "./testing/src/bundled-script.ts";

// Tests run on the sources: the private export condition comes first, then Vite's own.
const conditions = ["@vitrine/source", "module", "browser", "development|production"];
const ssrConditions = ["@vitrine/source", "module", "node", "development|production"];

export default defineConfig({
  test: {
    projects: [
      {
        resolve: { conditions: ssrConditions },
        ssr: { resolve: { conditions: ssrConditions } },
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
          exclude: [
            "**/node_modules/**",
            "**/*.browser.test.ts",
            "packages/sandbox/test/relay/**",
            "packages/sandbox/test/egress.test.ts",
            "packages/host/test/e2e/**",
            "packages/conformance/test/e2e/**",
            "packages/gateway/test/e2e/**",
            "packages/server/test/e2e/**",
            "packages/server/test/templates/**",
          ],
        },
      },
      {
        resolve: { conditions: ssrConditions },
        ssr: { resolve: { conditions: ssrConditions } },
        test: {
          // Each file starts a Chromium of its own and some of them time it: one after the other,
          // and once more before a busy machine counts as a failure.
          name: "e2e",
          environment: "node",
          include: [
            "packages/sandbox/test/relay/**/*.test.ts",
            "packages/sandbox/test/egress.test.ts",
            "packages/host/test/e2e/**/*.test.ts",
            "packages/conformance/test/e2e/**/*.test.ts",
            "packages/gateway/test/e2e/**/*.test.ts",
            "packages/server/test/e2e/**/*.test.ts",
            "packages/server/test/templates/**/*.test.ts",
          ],
          fileParallelism: false,
          retry: 2,
          testTimeout: 30_000,
        },
      },
      {
        plugins: [bundledScript()],
        resolve: { conditions },
        test: {
          name: "browser",
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
                executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
                args: [
                  "--no-sandbox",
                  "--disable-gpu",
                  "--disable-quic",
                  "--no-first-run",
                  "--disable-background-networking",
                  "--disable-component-update",
                  "--disable-sync",
                ],
              },
            }),
            instances: [{ browser: "chromium" }],
          },
        },
      },
    ],
  },
});
