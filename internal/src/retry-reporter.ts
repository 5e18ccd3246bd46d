import type { Reporter, TestCase } from "vitest/node";

/**
 * Lists the tests that only passed when they were repeated. A retry keeps a busy machine from failing a
 * run, but it also hides races, so nobody should have to search for them.
 */
export class RetryReporter implements Reporter {
  readonly #retried: string[] = [];

  onTestCaseResult(test: TestCase): void {
    const { retryCount = 0, flaky = false } = test.diagnostic() ?? {};
    if (!flaky) return;
    const { relativeModuleId } = test.module;
    this.#retried.push(`  ${retryCount} × ${relativeModuleId} > ${test.fullName}`);
  }

  onTestRunEnd(): void {
    const count = this.#retried.length;
    const list = count === 0 ? "none" : `${count} tests\n${this.#retried.join("\n")}`;
    process.stdout.write(`Passed only after a retry: ${list}\n`);
  }
}
