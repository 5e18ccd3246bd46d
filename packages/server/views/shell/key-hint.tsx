import { useEffect, useState } from "preact/hooks";

/**
 * How the keyboard works in a part of the view. Screen readers always read it where the part names it;
 * people who come by keyboard see it the first time, until they leave.
 */
export function KeyHint({
  id,
  text,
  frame,
}: {
  id: string;
  text: string;
  frame: { current: HTMLElement | null };
}) {
  const [phase, setPhase] = useState<"new" | "shown" | "known">("new");
  useEffect(() => {
    const { current } = frame;
    const onFocus = ({ target }: FocusEvent): void => {
      if ((target as Element).matches(":focus-visible")) {
        setPhase((phase) => (phase === "new" ? "shown" : phase));
      }
    };
    const onBlur = ({ relatedTarget }: FocusEvent): void => {
      if (current?.contains(relatedTarget as Node | null)) return;
      setPhase((phase) => (phase === "shown" ? "known" : phase));
    };
    current?.addEventListener("focusin", onFocus);
    current?.addEventListener("focusout", onBlur);
    return () => {
      current?.removeEventListener("focusin", onFocus);
      current?.removeEventListener("focusout", onBlur);
    };
  }, [frame]);
  return (
    <p id={id} class={phase === "shown" ? "hint" : "hidden"}>
      {text}
    </p>
  );
}
