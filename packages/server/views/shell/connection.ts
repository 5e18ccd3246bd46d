import { App, type CallToolResult, type McpUiHostContext } from "@vitrine/view";
import { useEffect, useState } from "preact/hooks";
import { applyHostContext } from "./host-look.ts";
import { isRecord } from "./records.ts";

/** How far the tool call behind the View has come. */
export type Stage = "loading" | "partial" | "ready" | "error" | "cancelled";

/** What the Host has told so far. */
export interface Told {
  stage: Stage;
  /** The tool's arguments; while the model still writes them, as far as they go. */
  input?: Record<string, unknown> | undefined;
  /** The model still writes the arguments: they are to look at, never to act on (VEW-09). */
  isWriting?: boolean | undefined;
  result?: CallToolResult | undefined;
  /** Why the call was cancelled, if the Host said. */
  reason?: string | undefined;
}

/** Connects the View to its Host; `undefined` until the handshake is over. */
export function useConnection(name: string): {
  app: App;
  told: Told;
  context: McpUiHostContext | undefined;
  failure: string | undefined;
} {
  const [app] = useState(
    () => new App({ name, version: "1" }, { availableDisplayModes: ["inline", "fullscreen"] }),
  );
  const [told, setTold] = useState<Told>({ stage: "loading" });
  const [context, setContext] = useState<McpUiHostContext>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    const look = (): void => {
      const context = app.getHostContext() ?? {};
      applyHostContext(context);
      setContext({ ...context });
    };
    const onInput =
      (isWriting: boolean) =>
      ({ arguments: given }: { arguments?: unknown }): void => {
        const input = isRecord(given) ? given : undefined;
        setTold((told) =>
          // A preview that comes late must not undo what is known by now.
          told.result || (isWriting && told.stage === "cancelled")
            ? told
            : { ...told, stage: "partial", input, isWriting },
        );
      };
    app.ontoolinputpartial = onInput(true);
    app.ontoolinput = onInput(false);
    app.ontoolresult = (result) =>
      setTold((told) => (told.result && isHollow(result) ? told : { ...told, ...toStage(result) }));
    app.ontoolcancelled = ({ reason }) =>
      setTold((told) => (told.result ? told : { ...told, stage: "cancelled", reason }));
    app.onhostcontextchanged = look;
    app.connect().then(look, (error: Error) => setFailure(error.message));
  }, [app]);
  return { app, told, context, failure };
}

function toStage(result: CallToolResult): Told {
  return { stage: result.isError ? "error" : "ready", result, isWriting: false };
}

/** Some hosts send an empty result after the good one. */
function isHollow({ content, structuredContent, isError }: CallToolResult): boolean {
  return !isError && !structuredContent && !content?.length;
}
