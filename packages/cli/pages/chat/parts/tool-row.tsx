import type { DynamicToolUIPart, ToolUIPart } from "ai";
import { getToolName } from "ai";
import { memo, type ReactNode, useEffect, useState } from "react";
import type { ToolFacts } from "../../../src/chat/page-state.ts";
import { Icon, type IconName } from "./icon.tsx";
import { plainJson, resultText } from "./tool-text.ts";

/** A call of a tool in a message. */
export type ToolCallPart = ToolUIPart | DynamicToolUIPart;

interface Status {
  icon: IconName | undefined;
  words: string;
}

/** A call as one line: what was called, how it went, how long it took. It opens for the details. */
export const ToolRow = memo(function ToolRow({
  part,
  facts,
  milliseconds,
  isStopped,
  isLast,
}: {
  part: ToolCallPart;
  facts: ToolFacts | undefined;
  milliseconds: number | undefined;
  /** The turn is over; nothing can be running. */
  isStopped: boolean;
  /** It belongs to the last message: an older question can't be answered any more. */
  isLast: boolean;
}): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const status = statusOf(part, { isStopped, isLast });
  const isRunning = status.icon === undefined;
  return (
    <details
      className="tool"
      data-testid="tool-call"
      data-state={part.state}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span className="state" data-running={isRunning}>
          {status.icon && <Icon name={status.icon} />}
        </span>
        <span className="name">{facts?.title ?? getToolName(part)}</span>
        {facts && <span className="quiet server">{facts.server}</span>}
        <span className="gap" />
        <span className="quiet">{status.words}</span>
        {milliseconds !== undefined && <span className="quiet time">{duration(milliseconds)}</span>}
        {isRunning && <Elapsed />}
        <Icon name="chevron" />
      </summary>
      {isOpen && <Details part={part} />}
    </details>
  );
});

function Details({ part }: { part: ToolCallPart }): ReactNode {
  return (
    <div className="details">
      <h4>Arguments</h4>
      <pre>{plainJson(part.input)}</pre>
      {part.state === "output-available" && (
        <>
          <h4>Result</h4>
          <pre>{resultText(part.output)}</pre>
        </>
      )}
      {part.state === "output-error" && (
        <>
          <h4>Error</h4>
          <pre className="trouble">{part.errorText}</pre>
        </>
      )}
    </div>
  );
}

function Elapsed(): ReactNode {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const began = Date.now();
    const timer = setInterval(() => setSeconds(Math.floor((Date.now() - began) / 1000)), 1000);
    return () => clearInterval(timer);
  }, []);
  return seconds > 1 ? <span className="quiet time">{seconds} s</span> : null;
}

function statusOf(
  part: ToolCallPart,
  { isStopped, isLast }: { isStopped: boolean; isLast: boolean },
): Status {
  switch (part.state) {
    case "output-available":
      return isFailed(part.output)
        ? { icon: "alert", words: "Failed" }
        : { icon: "check", words: "" };
    case "output-error":
      return { icon: "alert", words: "Failed" };
    case "output-denied":
      return { icon: "denied", words: "Denied by you" };
    case "approval-requested":
      return isLast
        ? { icon: "alert", words: "Waits for you" }
        : { icon: "denied", words: "Not answered" };
    case "approval-responded":
      if (part.approval.approved === false) return { icon: "denied", words: "Denied by you" };
      break;
    default:
  }
  return isStopped ? { icon: "stop", words: "Stopped" } : { icon: undefined, words: "" };
}

function isFailed(output: unknown): boolean {
  return (Object(output) as { isError?: unknown }).isError === true;
}

function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds} ms`;
  return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
}
