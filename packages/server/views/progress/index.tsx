import "./progress.css";
import type { ProgressConfig } from "../../src/templates/progress.ts";
import type { Block } from "../shell/shell.tsx";
import { Progress } from "./progress.tsx";

export const block: Block<ProgressConfig, unknown> = {
  name: "progress",
  labels: {
    bar: "Progress",
    running: "Running…",
    waiting: "Waiting",
    notStarted: "Not started",
    done: "Finished",
    failed: "Failed",
    cancel: "Cancel",
    cancelling: "Cancelling…",
    notCancelled: "This could not be cancelled",
    sure: "Are you sure you want to cancel?",
    yesCancel: "Cancel it",
    keep: "Keep running",
    lost: "The server no longer reports its progress",
    retry: "Ask again",
  },
  isAlways: true,
  read: (value) => value,
  Body: Progress,
};
