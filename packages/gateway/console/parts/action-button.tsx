import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { notify, notifyError } from "./notices.tsx";

/** A button that acts at once, announces the result, and can't be pressed twice. */
export function ActionButton({
  children,
  label,
  kind = "",
  isDisabled = false,
  act,
}: {
  children: ComponentChildren;
  /** The name for screen readers, where the text alone is not enough. */
  label?: string;
  kind?: string;
  isDisabled?: boolean;
  /** Acts, and returns what to announce. */
  act(): Promise<string>;
}): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    setBusy(true);
    try {
      notify(await act());
    } catch (error) {
      notifyError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <button
      type="button"
      class={kind}
      aria-label={label}
      aria-busy={isBusy}
      disabled={isBusy || isDisabled}
      onClick={() => void run()}
    >
      {children}
    </button>
  );
}
