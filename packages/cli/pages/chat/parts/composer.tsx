import { type KeyboardEvent, memo, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { Icon } from "./icon.tsx";

/** The field where users write. Its text is its own state, so typing renders nothing else. */
export const Composer = memo(function Composer({
  isBusy,
  isBlocked = false,
  onSend,
  onStop,
}: {
  isBusy: boolean;
  /** A question is open that has to be answered first. */
  isBlocked?: boolean;
  onSend(text: string): void;
  onStop(): void;
}): ReactNode {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const canSend = text.trim() !== "" && !isBusy && !isBlocked;

  useLayoutEffect(() => {
    // A touch keyboard would cover the conversation at once.
    if (matchMedia("(pointer: fine)").matches) field.current?.focus();
  }, []);

  const send = (): void => {
    if (!canSend) return;
    onSend(text.trim());
    setText("");
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // Enter also ends the composition of an input method.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };

  return (
    <form
      className="composer"
      id="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className="field">
        <textarea
          ref={field}
          data-testid="composer"
          rows={1}
          value={text}
          placeholder={isBlocked ? "Answer the question above first" : "Write a message"}
          aria-label="Message"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        {isBusy ? (
          <button
            type="button"
            className="round"
            data-testid="stop"
            aria-label="Stop"
            onClick={onStop}
          >
            <Icon name="stop" />
          </button>
        ) : (
          <button
            type="submit"
            className="round primary"
            data-testid="send"
            aria-label="Send"
            disabled={!canSend}
          >
            <Icon name="send" />
          </button>
        )}
      </div>
    </form>
  );
});
