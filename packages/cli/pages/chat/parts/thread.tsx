import { McpAppsProvider, useMcpChat } from "@vitrine/chat/ai-sdk";
import { isToolUIPart } from "ai";
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { QuestionForm } from "../../questions/question-form.tsx";
import { useFields } from "../../store.ts";
import type { ChatPage } from "../chat-state.ts";
import { showInAddress } from "../page-address.ts";
import type { Approval } from "./approval-card.tsx";
import { Composer } from "./composer.tsx";
import { type ChatMessage, Message } from "./message.tsx";
import { Scroller } from "./scroller.tsx";
import type { ToolCallPart } from "./tool-row.tsx";
import { Welcome } from "./welcome.tsx";

// A frame of the screen is too short to draw a long text for each word.
const DRAWING_PACE = 50;

/** An open conversation. */
export function Thread({
  id,
  page,
  initial,
  isShown,
}: {
  id: string;
  page: ChatPage;
  initial: ChatMessage[];
  /** False while another conversation is shown and the model still answers here. */
  isShown: boolean;
}): ReactNode {
  const { tools, questions } = useFields(page.state, "tools", "questions");
  const chat = useMcpChat(page.apps, {
    id,
    messages: initial,
    headers: () => page.api.headers,
    throttle: DRAWING_PACE,
    onFinish: () => void page.refresh(),
  });
  const { status, error, addToolApprovalResponse, apps, thread } = chat;
  const messages = chat.messages as ChatMessage[];
  // Most of `chat` changes with every word, and each view would be drawn again. Their messages know
  // whether they are still being written.
  const provided = useMemo(() => ({ apps, thread, status: "ready" as const }), [apps, thread]);
  const newest = useRef(chat);
  newest.current = chat;
  const isBusy = status === "submitted" || status === "streaming";
  const send = useCallback(
    (text: string): void => {
      showInAddress(id);
      void newest.current.sendMessage({ text }).then(() => page.refresh());
    },
    [id, page],
  );
  const [stopped, setStopped] = useState<string>();
  const stop = useCallback((): void => {
    setStopped(newest.current.messages.at(-1)?.id);
    void newest.current.stop();
  }, []);
  const retry = useCallback((): void => {
    const answer = newest.current.messages.at(-1);
    // The views of the answer go with it.
    for (const part of answer?.role === "assistant" ? answer.parts : [])
      if (isToolUIPart(part)) void thread.conversation.forget(part.toolCallId);
    void newest.current.regenerate();
  }, [thread]);
  useEffect(() => page.setBusy(id, isBusy), [page, id, isBusy]);
  useEffect(() => {
    // The process has stored the question by now, and the list shows it.
    if (status === "streaming") void page.refresh();
  }, [page, status]);
  const onApproval = useCallback(
    async (part: ToolCallPart, approval: Approval): Promise<void> => {
      if (part.state !== "approval-requested") return;
      if (approval.approved && approval.scope !== "once") {
        const name = part.type === "dynamic-tool" ? part.toolName : part.type.slice(5);
        await page.api.grant(name, approval.scope === "conversation" ? id : undefined);
      }
      await addToolApprovalResponse({ id: part.approval.id, approved: approval.approved });
    },
    [addToolApprovalResponse, id, page],
  );
  const asked = questions.filter(({ conversation = id }) => conversation === id);
  return (
    <McpAppsProvider chat={provided}>
      <div className="thread" hidden={!isShown} {...(isShown && { id: "conversation" })}>
        <Scroller watch={messages}>
          {messages.length === 0 && <Welcome page={page} />}
          {messages.map((message, at) => (
            <Message
              key={message.id}
              message={message}
              tools={tools}
              isActive={isBusy && at === messages.length - 1}
              isLast={at === messages.length - 1}
              isStopped={message.id === stopped || undefined}
              onRetry={at === messages.length - 1 && !isBusy && !error ? retry : undefined}
              onApproval={onApproval}
            />
          ))}
          {status === "submitted" && <Thinking />}
          {asked.map((question) => (
            <QuestionForm
              key={question.id}
              question={question}
              onAnswer={(answer) => page.api.answerQuestion(question.id, answer)}
            />
          ))}
          {error && (
            <div className="notice" role="alert" data-testid="error">
              <p>{wordsOf(error)}</p>
              <button type="button" onClick={retry}>
                Try again
              </button>
            </div>
          )}
        </Scroller>
        {isShown && <Composer isBusy={isBusy} onSend={send} onStop={stop} />}
      </div>
    </McpAppsProvider>
  );
}

function Thinking(): ReactNode {
  return <span className="thinking" role="status" aria-label="The model is answering" />;
}

function wordsOf(error: Error): string {
  // A browser reports that it couldn't connect in words of its own.
  if (error instanceof TypeError)
    return "The message didn't arrive, because the chat isn't running. Start it and try again.";
  return error.message;
}
