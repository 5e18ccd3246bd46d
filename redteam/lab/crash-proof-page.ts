import type { Page } from "playwright";

/** Runs functions, sent as source text, in a page's top document. */
export type Evaluate = <Result, Argument>(
  step: (argument: Argument) => Result,
  argument: Argument,
) => Promise<Awaited<Result>>;

/** Playwright gives up on a page of which any frame crashed; the page itself goes on, and so do we. */
export async function crashProof(page: Page): Promise<Evaluate> {
  const session = await page.context().newCDPSession(page);
  return async (step, argument) => {
    const expression = `(${step.toString()})(${JSON.stringify(argument)})`;
    const options = { expression, returnByValue: true, awaitPromise: true };
    const { result, exceptionDetails } = await session.send("Runtime.evaluate", options);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? "It threw.");
    return result.value;
  };
}

/**
 * Ignores one error of Playwright's that no caller can catch. Where a process with nested frames ends,
 * it throws this while it reads an event of a frame that is gone, and that would end the whole run.
 */
export function ignoreLostFrames(): void {
  process.on("uncaughtException", (error) => {
    if (error.message === "Frame has been detached.") return;
    process.stderr.write(`${error.stack}\n`);
    process.exit(2);
  });
}
