import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RowAction } from "../../src/templates/tool-action.ts";
import { MORE } from "../shell/icons.tsx";
import { Question, questionOf } from "../shell/question.tsx";
import { type Fields, Icon, Name, useShell } from "../shell/shell.tsx";
import type { RowCalls } from "./row-calls.tsx";

const GAP = 4;

/** The menu at the end of a row; a single action is a button. */
export function RowActions({ row, name, calls }: { row: Fields; name: string; calls: RowCalls }) {
  const { label } = useShell();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const popover = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [asking, setAsking] = useState<RowAction>();
  const { actions, state, last, start } = calls;
  const isBusy = state.status === "pending";
  const [only, ...others] = actions;
  const isSingle = others.length === 0;

  const open = (): void => {
    if (isBusy || !button.current || !popover.current) return;
    popover.current.showPopover();
  };
  // Once its content is there, it has a size and something to focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another content has another size.
  useLayoutEffect(() => {
    if (!isOpen || !button.current || !popover.current) return;
    placeNear(popover.current, button.current);
    popover.current.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }, [isOpen, asking]);
  const close = (): void => popover.current?.hidePopover();
  const choose = (action: RowAction): void => {
    if (isBusy) return;
    if (questionOf(action, label, name) === undefined) {
      close();
      start(action, row, name);
      return;
    }
    setAsking(action);
    if (!isOpen) open();
  };
  const onToggle = ({ newState }: { newState: string }): void => {
    setOpen(newState === "open");
    if (newState !== "open") setAsking(undefined);
  };
  return (
    <>
      <button
        type="button"
        ref={button}
        class={isSingle ? "button" : "button icon plain"}
        aria-disabled={isBusy}
        {...(!isSingle && {
          "aria-haspopup": "menu" as const,
          "aria-expanded": isOpen,
          "aria-controls": id,
          "aria-label": label("actionsFor", { row: name }),
        })}
        onClick={() => (isSingle && only ? choose(only) : open())}
      >
        {isBusy && last?.row === row && <span class="spinner" aria-hidden="true" />}
        {isSingle ? (
          <>
            <Name value={only?.label ?? ""} length={40} />
            <span class="hidden"> {name}</span>
          </>
        ) : (
          !(isBusy && last?.row === row) && <Icon path={MORE} />
        )}
      </button>
      <div popover="auto" class="popover" id={id} ref={popover} onToggle={onToggle as never}>
        {isOpen &&
          (asking ? (
            <Question
              text={questionOf(asking, label, name) ?? ""}
              yes={asking.label}
              isDanger={asking.destructive === true}
              onYes={() => {
                close();
                start(asking, row, name);
              }}
              onNo={close}
            />
          ) : (
            <Menu actions={actions} name={label("actionsFor", { row: name })} onChoose={choose} />
          ))}
      </div>
    </>
  );
}

function Menu({
  actions,
  name,
  onChoose,
}: {
  actions: readonly RowAction[];
  name: string;
  onChoose(action: RowAction): void;
}) {
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const items = [...(list.current?.querySelectorAll("button") ?? [])];
    const at = items.indexOf(document.activeElement as HTMLButtonElement);
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: items.length - 1,
    };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    items[(to + items.length) % items.length]?.focus();
  };
  return (
    <div role="menu" aria-label={name} ref={list} onKeyDown={onKeyDown}>
      {actions.map((action, at) => (
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: an action is its place.
          key={at}
          type="button"
          role="menuitem"
          class="menu-item"
          onClick={() => onChoose(action)}
        >
          <Name value={action.label} length={60} />
        </button>
      ))}
    </div>
  );
}

/** Below the button, or above it if there is more room; always within the frame. */
function placeNear(popover: HTMLElement, button: HTMLElement): void {
  const { top, bottom, left, right } = button.getBoundingClientRect();
  const { offsetWidth, offsetHeight } = popover;
  const { clientWidth, clientHeight } = document.documentElement;
  const isRtl = document.documentElement.dir === "rtl";
  const x = isRtl ? left : right - offsetWidth;
  const fits = bottom + GAP + offsetHeight <= clientHeight;
  const y = fits ? bottom + GAP : top - GAP - offsetHeight;
  popover.style.left = `${Math.max(GAP, Math.min(x, clientWidth - offsetWidth - GAP))}px`;
  popover.style.top = `${Math.max(GAP, Math.min(y, clientHeight - offsetHeight - GAP))}px`;
}
