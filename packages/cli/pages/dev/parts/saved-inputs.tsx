import type { Tool } from "@vitrine/protocol/apps";
import { type ReactNode, useId, useState } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import { namedInputs, removeInput, saveInput } from "../tool-inputs.ts";
import { Icon } from "./icon.tsx";

/** The inputs that the user saved for a tool, and the field that saves another one. */
export function SavedInputs({
  host,
  tool,
  input,
  onLoad,
}: {
  host: DevHost;
  tool: Tool;
  /** The form's input; nothing while the form has errors. */
  input: (() => Record<string, unknown>) | undefined;
  onLoad(input: Record<string, unknown>): void;
}): ReactNode {
  const id = useId();
  const { status } = useFields(host.state, "status");
  const owner = { server: status?.name ?? "", tool: tool.name };
  const [list, setList] = useState(() => namedInputs(localStorage, owner));
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string | undefined>();
  const close = (): void => document.getElementById(id)?.hidePopover();
  const save = (): void => {
    if (name.trim() === "") setProblem("Enter a name.");
    else if (!input) setProblem("Fill in the form first.");
    else if (!saveInput(localStorage, owner, { name, input: input() }))
      setProblem("The browser has no room for it. Remove another one first.");
    else {
      setList(namedInputs(localStorage, owner));
      setName("");
      setProblem(undefined);
    }
  };
  return (
    <>
      <button type="button" className="plain small" popoverTarget={id}>
        Saved{list.length > 0 && ` ${list.length}`}
      </button>
      <div id={id} popover="auto" className="menu saved">
        <h3>Saved inputs</h3>
        {list.length === 0 && <p className="hint">Name this input to use it again later.</p>}
        <ul>
          {list.map((each) => (
            <li key={each.name}>
              <button
                type="button"
                className="load"
                title={JSON.stringify(each.input).slice(0, 300)}
                onClick={() => {
                  onLoad(each.input);
                  close();
                }}
              >
                <bdi>{each.name}</bdi>
              </button>
              <button
                type="button"
                className="bare"
                aria-label={`Remove ${each.name}`}
                title={`Remove ${each.name}`}
                onClick={() => {
                  removeInput(localStorage, owner, each.name);
                  setList(namedInputs(localStorage, owner));
                }}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
        <div className="save">
          <input
            aria-label="Name of this input"
            placeholder="Name"
            maxLength={80}
            autoComplete="off"
            aria-invalid={problem !== undefined}
            value={name}
            onChange={({ target }) => setName(target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter") return;
              // The form around it would run the tool.
              event.preventDefault();
              save();
            }}
          />
          <button type="button" className="plain" onClick={save}>
            Save
          </button>
        </div>
        {problem && (
          <p className="trouble" role="alert">
            {problem}
          </p>
        )}
      </div>
    </>
  );
}
