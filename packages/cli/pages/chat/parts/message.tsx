import { McpAppPart } from "@vitrine/chat/ai-sdk";
import { isToolUIPart, type UIMessage } from "ai";
import { memo, type ReactNode } from "react";
import type { AnswerMetadata, ToolFacts } from "../../../src/chat/page-state.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { type Approval, ApprovalCard } from "./approval-card.tsx";
import { MessageActions } from "./message-actions.tsx";
import { type ToolCallPart, ToolRow } from "./tool-row.tsx";

/** A message of the chat. */
export type ChatMessage = UIMessage<AnswerMetadata>;

/** One message. It is rendered again only if it has changed. */
export const Message = memo(function Message({
  message,
  tools,
  isActive,
  isLast,
  isStopped = message.metadata?.isStopped === true,
  onApproval,
  onRetry,
}: {
  message: ChatMessage;
  tools: Readonly<Record<string, ToolFacts>>;
  /** The model is still writing it. */
  isActive: boolean;
  /** Nothing follows it, so its questions can be answered. */
  isLast: boolean;
  isStopped?: boolean | undefined;
  onApproval(part: ToolCallPart, approval: Approval): void;
  /** Asks the model again; for the last answer. */
  onRetry?: (() => void) | undefined;
}): ReactNode {
  const isOver =
    !isActive && message.parts.length > 0 && !(isLast && message.parts.some(isQuestion));
  const hasActions = message.role === "assistant" && isOver;
  return (
    <article
      className="message"
      data-role={message.role}
      aria-label={message.role === "user" ? "You" : "Assistant"}
    >
      {message.parts.map((part, at) => (
        // Parts are only appended.
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no other identity.
        <MessagePart key={at} {...{ part, message, tools, isActive, isLast, onApproval }} />
      ))}
      {isStopped && !isActive && <p className="quiet">You stopped this answer.</p>}
      {hasActions && <MessageActions message={message} onRetry={onRetry} />}
    </article>
  );
});

function MessagePart({
  part,
  message,
  tools,
  isActive,
  isLast,
  onApproval,
}: {
  part: ChatMessage["parts"][number];
  message: ChatMessage;
  tools: Readonly<Record<string, ToolFacts>>;
  isActive: boolean;
  isLast: boolean;
  onApproval(part: ToolCallPart, approval: Approval): void;
}): ReactNode {
  if (part.type === "text") {
    if (message.role === "user") return <p className="said">{part.text}</p>;
    return <Markdown text={part.text} />;
  }
  if (part.type === "reasoning") {
    if (part.text.trim() === "") return null;
    return (
      <details className="reasoning">
        <summary>Reasoning</summary>
        <p>{part.text}</p>
      </details>
    );
  }
  if (!isToolUIPart(part)) return null;
  const name = part.type === "dynamic-tool" ? part.toolName : part.type.slice("tool-".length);
  const facts = tools[name];
  return (
    <>
      <ToolRow
        part={part}
        facts={facts}
        milliseconds={message.metadata?.times?.[part.toolCallId]}
        isStopped={!isActive}
        isLast={isLast}
      />
      <McpAppPart part={part} isRunning={isActive} />
      {isLast && isQuestion(part) && (
        <ApprovalCard
          part={part}
          facts={facts}
          onAnswer={(approval) => onApproval(part, approval)}
        />
      )}
    </>
  );
}

/** Whether the user has to decide about a call. */
function isQuestion(part: ChatMessage["parts"][number]): boolean {
  if (!isToolUIPart(part) || part.state !== "approval-requested") return false;
  return part.approval.isAutomatic !== true;
}
