import type { SandboxAddress } from "./frame/sandbox-address.ts";

// Safari has no `requestIdleCallback`. A page has usually rendered its first screen after this time.
const PROBABLY_IDLE = 2000;

/**
 * Warms the sandbox when the page has loaded and is idle. Returns a function that ends it, before or
 * after.
 */
export function startWarmUp(sandbox: SandboxAddress): () => void {
  let isOver = !globalThis.document;
  let cool: (() => void) | undefined;
  const warm = async (): Promise<void> => {
    if (isOver) return;
    const { warmSandbox } = await import("./frame/warm-sandbox.ts");
    if (!isOver) cool = warmSandbox(sandbox);
  };
  const begin = (): void => {
    const work = (): void => void warm().catch(() => {});
    if ("requestIdleCallback" in globalThis) requestIdleCallback(work);
    else setTimeout(work, PROBABLY_IDLE);
  };
  if (!isOver && document.readyState === "complete") begin();
  else if (!isOver) addEventListener("load", begin, { once: true });
  return () => {
    isOver = true;
    cool?.();
  };
}
