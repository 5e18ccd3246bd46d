import { OUTER_SANDBOX } from "./frame.ts";
import type { SandboxAddress } from "./sandbox-address.ts";

// A user may read and write for minutes before the first view. Then the process isn't worth its memory.
const KEPT = 9 * 60_000;

/**
 * Loads what the first view needs and what doesn't depend on it: the code that loads documents, and an empty
 * frame of the sandbox, whose connection and process that view then shares. Returns a function that
 * removes the frame.
 */
export function warmSandbox(sandbox: SandboxAddress): () => void {
  void import("../view-start.ts").catch(() => {});
  const entrance = typeof sandbox === "string" ? sandbox : sandbox.entrance;
  if (entrance === undefined) return () => {};
  const frame = document.createElement("iframe");
  frame.hidden = true;
  frame.ariaHidden = "true";
  frame.setAttribute("sandbox", OUTER_SANDBOX);
  frame.referrerPolicy = "origin";
  frame.src = new URL(entrance, document.baseURI).href;
  document.body.append(frame);
  const timer = setTimeout(() => frame.remove(), KEPT);
  return () => {
    clearTimeout(timer);
    frame.remove();
  };
}
