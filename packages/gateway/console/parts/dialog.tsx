import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { notify, notifyError } from "./notices.tsx";

/** A question before an action that others notice. */
export interface Question {
  title: string;
  body: ComponentChildren;
  /** The verb on the button. */
  confirm: string;
  isDangerous?: boolean;
  /** Asks for a sentence that goes into the audit log. */
  reason?: { label: string; help?: string; isRequired?: boolean };
  /** Acts, and returns what to announce. */
  act(reason: string): Promise<string>;
}

/** Asks before acting. The safe choice has the focus; Escape takes it. */
export function ConfirmDialog({
  question,
  onClose,
}: {
  question: Question;
  onClose(isDone: boolean): void;
}): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [reason, setReason] = useState("");
  const id = useId();
  useEffect(() => {
    element.current?.showModal();
  }, []);
  const isReady = !isBusy && (!question.reason?.isRequired || reason.trim() !== "");
  const confirm = async (): Promise<void> => {
    setBusy(true);
    try {
      notify(await question.act(reason.trim()));
      onClose(true);
    } catch (error) {
      notifyError(error);
      onClose(false);
    }
  };
  return (
    <dialog
      ref={element}
      aria-labelledby={`${id}-title`}
      onCancel={(event) => {
        event.preventDefault();
        if (!isBusy) onClose(false);
      }}
    >
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void confirm();
        }}
      >
        <h2 id={`${id}-title`}>{question.title}</h2>
        <div class="dialog-body">{question.body}</div>
        {question.reason && (
          <label class="field">
            <span>{question.reason.label}</span>
            <input
              value={reason}
              maxLength={200}
              required={question.reason.isRequired ?? false}
              onInput={({ currentTarget }) => setReason(currentTarget.value)}
            />
            <small>{question.reason.help ?? "Kept in the audit log."}</small>
          </label>
        )}
        <div class="actions end">
          {/* A dialog starts at its safe choice. */}
          <button type="button" autofocus disabled={isBusy} onClick={() => onClose(false)}>
            Cancel
          </button>
          <button
            type="submit"
            class={question.isDangerous ? "danger" : "primary"}
            disabled={!isReady}
          >
            {isBusy ? "Working…" : question.confirm}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** The state of a page that asks: `ask` opens the dialog, `dialog` is what to render. */
export function useQuestion(onDone: () => unknown): {
  ask(question: Question): void;
  dialog: JSX.Element | null;
} {
  const [question, setQuestion] = useState<Question | undefined>(undefined);
  const opener = useRef<Element | null>(null);
  return {
    ask: (asked) => {
      opener.current = document.activeElement;
      setQuestion(asked);
    },
    dialog: question ? (
      <ConfirmDialog
        question={question}
        onClose={(isDone) => {
          setQuestion(undefined);
          if (isDone) void onDone();
          // The browser does this only while the dialog is still in the page.
          if (opener.current instanceof HTMLElement && opener.current.isConnected) {
            opener.current.focus();
          }
        }}
      />
    ) : null,
  };
}
