import { fileURLToPath } from "node:url";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { bundledScript } from "./internal/src/bundled-script.ts";
import { CHROMIUM, CHROMIUM_SWITCHES } from "./internal/src/chromium.ts";
import { RetryReporter } from "./internal/src/retry-reporter.ts";

// Tests run on the sources: the private export condition comes first, then Vite's own.
const conditions = ["@vitrine/source", "module", "browser", "development|production"];
const ssrConditions = ["@vitrine/source", "module", "node", "development|production"];

// The last part of a test's name before `.test.ts` is the project that runs it; without one it is a unit test.
const tests = (project: string): string[] => [
  `{packages/*,scripts,redteam}/test/**/*.${project}.test.{ts,tsx}`,
  `test/**/*.${project}.test.{ts,tsx}`,
];
const NOT_TESTS = ["**/node_modules/**"];
// A second, the default of both ways to wait, is too short for a machine that does other work.
const patient = {
  setupFiles: [fileURLToPath(new URL("./internal/src/patient-waits.ts", import.meta.url))],
  expect: { poll: { timeout: 10_000, interval: 20 } },
};
const onSources = {
  resolve: { conditions: ssrConditions },
  ssr: { resolve: { conditions: ssrConditions } },
};

export default defineConfig({
  test: {
    reporters: ["default", new RetryReporter()],
    projects: [
      {
        ...onSources,
        test: {
          // They share workers, which halves their processor time. A test that changes something of the
          // process for good (a table in a module, the heap it measures) is a process test.
          name: "unit",
          isolate: false,
          maxWorkers: 2,
          unstubGlobals: true,
          unstubEnvs: true,
          restoreMocks: true,
          environment: "node",
          ...patient,
          testTimeout: 60_000,
          include: ["{packages/*,scripts,redteam}/test/**/*.test.ts", "test/*.test.ts"],
          exclude: [
            ...NOT_TESTS,
            ...["process", "e2e", "timed", "cluster", "browser"].flatMap(tests),
          ],
        },
      },
      {
        ...onSources,
        test: {
          // They start processes, threads or servers, so they wait more than they compute.
          name: "process",
          environment: "node",
          ...patient,
          include: tests("process"),
          exclude: NOT_TESTS,
          // More would make tests with short deadlines fail on two slow cores.
          maxWorkers: 2,
          // Some deadlines are still too short for a busy machine; the reporter lists those tests.
          retry: 2,
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        ...onSources,
        test: {
          // Files share the Chromium of their worker (internal/src/chromium.ts).
          name: "e2e",
          isolate: false,
          env: { VITRINE_SHARED_CHROMIUM: "1" },
          environment: "node",
          ...patient,
          include: tests("e2e"),
          exclude: NOT_TESTS,
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
          retry: 2,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        ...onSources,
        test: {
          // They measure time or the heap, so nothing else may run at the same time.
          name: "timed",
          environment: "node",
          ...patient,
          include: tests("timed"),
          exclude: NOT_TESTS,
          fileParallelism: false,
          sequence: { groupOrder: 4 },
          retry: 2,
          testTimeout: 60_000,
        },
      },
      {
        ...onSources,
        test: {
          // They need a nats-server.
          name: "cluster",
          environment: "node",
          ...patient,
          include: tests("cluster"),
          exclude: NOT_TESTS,
          fileParallelism: false,
          sequence: { groupOrder: 5 },
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
          expect: patient.expect,
          sequence: { groupOrder: 2 },
          // Some of them wait for frames that a busy machine does not paint in time.
          retry: 2,
          include: tests("browser"),
          exclude: NOT_TESTS,
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
