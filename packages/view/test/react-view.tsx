import { type App, type UseAppOptions, useApp } from "@vitrine/view/react";
import type { ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, vi } from "vitest";
import type { SkinStage } from "./skin-stage.ts";

/** Shows the state of `useApp`; with `use`, a test adds more hooks and what they show. */
export function View({
  options,
  use,
}: {
  options: UseAppOptions;
  use?: (app: App | null) => ReactNode;
}): ReactNode {
  const { app, isConnected, error } = useApp(options);
  const more = use?.(app);
  if (error) return <p>{error.message}</p>;
  return <p>{isConnected ? (more ?? "connected") : "connecting"}</p>;
}

/** Renders on the stage; everything is unmounted after each test. */
export function openRoot(stage: SkinStage): (element: ReactNode) => void {
  let root: Root | undefined;
  afterEach(async () => {
    root?.unmount();
    root = undefined;
    await vi.waitUntil(() => stage.place.childNodes.length === 0);
    // React cleans up effects after the paint; only then may the stage itself go.
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
  });
  return (element) => {
    root ??= createRoot(stage.place);
    root.render(element);
  };
}
