import type { Tool } from "@vitrine/protocol/apps";
import { isVisibleTo } from "@vitrine/protocol/apps/discovery";
import { type FormEvent, type ReactNode, useMemo, useState } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import type { Draft } from "../form/form-draft.ts";
import { emptyEntry, type FormEntry, filledEntry, jsonError } from "../form/form-entry.ts";
import { formOf } from "../form/form-node.ts";
import { readForm } from "../form/form-reading.ts";
import { keepLastInput, lastInput } from "../tool-inputs.ts";
import { ChoiceBranch, ObjectFields } from "./form-part.tsx";
import { SavedInputs } from "./saved-inputs.tsx";
import { ScrollArea } from "./scroll-area.tsx";

/** A tool's input form, and the button that runs it. */
export function ToolForm({ host, tool }: { host: DevHost; tool: Tool }): ReactNode {
  const { selection } = useFields(host.state, "selection");
  const form = useMemo(() => formOf(tool.inputSchema), [tool.inputSchema]);
  const [entry, setEntry] = useState<FormEntry>(() => {
    const given = selection?.tool === tool.name ? selection.input : undefined;
    const input = given ?? lastInput(sessionStorage, tool.name);
    return input ? filledEntry(form, input) : emptyEntry(form);
  });
  const [isTried, setTried] = useState(false);
  const reading = form ? readForm(form, entry.draft) : { value: {}, errors: new Map() };
  const written = entry.json === undefined ? undefined : jsonError(entry.json);
  const problems = entry.json === undefined ? reading.errors.size > 0 : written !== undefined;
  const input = (): Record<string, unknown> =>
    entry.json === undefined ? Object(reading.value) : JSON.parse(entry.json);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (problems) {
      const element = event.currentTarget as HTMLFormElement;
      // After the messages are rendered.
      setTimeout(() => element.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
      return;
    }
    keepLastInput(sessionStorage, tool.name, input());
    void host.runs.run(tool, input());
  };
  const toggleJson = (): void => {
    if (entry.json === undefined)
      setEntry({ ...entry, json: JSON.stringify(reading.value ?? {}, null, 2) });
    else if (!written) setEntry(filledEntry(form, JSON.parse(entry.json)));
  };

  return (
    <form className="input" aria-label={`Input of ${tool.name}`} noValidate onSubmit={submit}>
      <header>
        <h2 className="heading">
          <bdi>{tool.title ?? tool.name}</bdi>
        </h2>
        <SavedInputs
          host={host}
          tool={tool}
          input={problems ? undefined : input}
          onLoad={(saved) => setEntry(filledEntry(form, saved))}
        />
        {form && (
          <button
            type="button"
            className="plain small"
            aria-pressed={entry.json !== undefined}
            onClick={toggleJson}
          >
            JSON
          </button>
        )}
      </header>
      <ScrollArea className="fields" label="Fields">
        {!isVisibleTo(tool, "model") && (
          <p className="note">
            Only the view may call this tool; the model doesn't see it. You can run it here to try
            it.
          </p>
        )}
        {tool.description && <p className="about">{tool.description}</p>}
        {entry.json === undefined ? (
          <Fields
            form={form}
            draft={entry.draft}
            errors={isTried ? reading.errors : NO_ERRORS}
            onChange={(draft) => setEntry({ draft })}
          />
        ) : (
          <label className="field">
            <span className="name">Arguments</span>
            <textarea
              className="code"
              rows={10}
              spellCheck={false}
              aria-invalid={written !== undefined}
              value={entry.json}
              onChange={({ target }) => setEntry({ ...entry, json: target.value })}
            />
            {written && <span className="error">{written}</span>}
            {entry.isUnfit && !written && (
              <span className="hint">The fields can't show this input, so it stays as JSON.</span>
            )}
          </label>
        )}
      </ScrollArea>
      <RunBar host={host} />
    </form>
  );
}

function RunBar({ host }: { host: DevHost }): ReactNode {
  const { run, settings } = useFields(host.state, "run", "settings");
  const isBusy = run?.state === "running" || run?.state === "writing";
  return (
    <footer>
      <button type="submit" className="run">
        {isBusy ? "Run again" : "Run"}
      </button>
      {isBusy && (
        <button type="button" className="plain" onClick={() => host.runs.cancel()}>
          Cancel
        </button>
      )}
      <label className="check" title="Sends the input to the view in pieces, as a model writes it">
        <input
          type="checkbox"
          checked={settings.streaming}
          onChange={({ target }) => host.change({ streaming: target.checked })}
        />
        Stream input
      </label>
    </footer>
  );
}

const NO_ERRORS: ReadonlyMap<string, string> = new Map();

function Fields({
  form,
  draft,
  errors,
  onChange,
}: {
  form: ReturnType<typeof formOf>;
  draft: Draft;
  errors: ReadonlyMap<string, string>;
  onChange(draft: Draft): void;
}): ReactNode {
  const part = { draft, path: "", errors, onChange };
  if (form?.kind === "choice") return <ChoiceBranch {...part} node={form} name="input" required />;
  if (!form || form.fields.length === 0) return <p className="empty">This tool takes no input.</p>;
  return <ObjectFields {...part} node={form} />;
}
