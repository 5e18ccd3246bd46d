import { useState } from "preact/hooks";
import type { Told } from "./connection.ts";
import { useShell } from "./shell-context.ts";

/** A tool call, and a way to make it again after it failed or was cancelled. */
export interface Retry {
  /** The newest state of the call. */
  told: Told;
  /** Tries again; undefined if the host offers no way. */
  retry: (() => void) | undefined;
  isPending: boolean;
}

/**
 * Calls the tool again if that changes nothing on the server. Any other tool may have done half of its
 * work: then the button asks in the conversation, where the model and the user decide.
 */
export function useRetry(given: Told): Retry {
  const { app, context, label } = useShell();
  const [newest, setNewest] = useState<{ after: Told; told: Told }>();
  const [isPending, setPending] = useState(false);
  const told = newest?.after === given ? newest.told : given;
  const { tool } = context.toolInfo ?? {};
  const { serverTools, message } = app.getHostCapabilities() ?? {};
  const { readOnlyHint, idempotentHint } = tool?.annotations ?? {};
  const isHarmless = readOnlyHint === true || idempotentHint === true;
  const { input, isWriting } = told;

  const call = async (name: string): Promise<Told> => {
    const result = await app.callServerTool({ name, arguments: input ?? {} });
    return { ...told, stage: result.isError ? "error" : "ready", result };
  };
  const ask = async (): Promise<Told> => {
    const text = label("askAgain", { tool: tool?.title ?? tool?.name ?? "" });
    await app.sendMessage({ role: "user", content: [{ type: "text", text }] });
    return told;
  };
  const isCallable = serverTools && isHarmless && isAppTool(tool) && input && !isWriting;
  const attempt = tool && isCallable ? () => call(tool.name) : message ? ask : undefined;
  const retry = async (): Promise<void> => {
    if (isPending) return;
    setPending(true);
    // A host that refuses has said so to the user; the failure stays as it was.
    const next = await attempt?.().catch(() => told);
    setPending(false);
    if (next && next !== told) setNewest({ after: given, told: next });
  };
  return { told, retry: attempt && retry, isPending };
}

function isAppTool(tool: { _meta?: unknown } | undefined): boolean {
  const { ui } = (tool?._meta ?? {}) as { ui?: { visibility?: unknown } };
  return !Array.isArray(ui?.visibility) || ui.visibility.includes("app");
}
