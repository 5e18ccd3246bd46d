import type { UIMessage } from "ai";
import { type ReactNode, useState } from "react";
import { Icon } from "./icon.tsx";

/** Copies an answer, or asks for another one. */
export function MessageActions({
  message,
  onRetry,
}: {
  message: UIMessage<unknown>;
  onRetry?: (() => void) | undefined;
}): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const text = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const copy = (): void => {
    void navigator.clipboard.writeText(text.join("\n\n")).then(() => setCopied(true));
  };
  return (
    <div className="message-actions">
      {text.length > 0 && (
        <button
          type="button"
          className="icon"
          aria-label="Copy the answer"
          title="Copy"
          onClick={copy}
        >
          <Icon name={isCopied ? "check" : "copy"} />
        </button>
      )}
      {onRetry && (
        <button
          type="button"
          className="icon"
          data-testid="retry"
          aria-label="Try again"
          title="Try again"
          onClick={onRetry}
        >
          <Icon name="retry" />
        </button>
      )}
    </div>
  );
}
