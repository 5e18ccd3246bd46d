import type { Tool } from "@vitrine/protocol/apps";
import { type FormEvent, type ReactNode, useMemo, useState } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import { type FormValues, fieldsOf, initialValues, readForm } from "../schema-form.ts";
import { FieldInput } from "./field-input.tsx";
import { ScrollArea } from "./scroll-area.tsx";

const KEY = "vitrine-dev-input ";

/** A tool's input form, and the button that runs it. */
export function ToolForm({ host, tool }: { host: DevHost; tool: Tool }): ReactNode {
  const { run, settings } = useFields(host.state, "run", "settings");
  const fields = useMemo(() => fieldsOf(tool.inputSchema), [tool.inputSchema]);
  const [values, setValues] = useState<FormValues>(
    () => saved(tool) ?? initialValues(fields ?? []),
  );
  const [json, setJson] = useState<string | undefined>(fields ? undefined : "{}");
  const [isTried, setTried] = useState(false);
  const reading = readForm(fields ?? [], values);
  const jsonError = json === undefined ? undefined : errorOf(json);
  const isBusy = run?.state === "running" || run?.state === "writing";

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (json === undefined ? Object.keys(reading.errors).length > 0 : jsonError) {
      const form = event.currentTarget as HTMLFormElement;
      // After the messages are rendered.
      setTimeout(() => form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
      return;
    }
    save(tool, values);
    void host.runs.run(tool, json === undefined ? reading.arguments : JSON.parse(json));
  };

  return (
    <form className="input" aria-label={`Input of ${tool.name}`} noValidate onSubmit={submit}>
      <header>
        <h2 className="heading">
          <bdi>{tool.title ?? tool.name}</bdi>
        </h2>
        {fields && (
          <button
            type="button"
            className="plain small"
            aria-pressed={json !== undefined}
            onClick={() =>
              setJson(json === undefined ? JSON.stringify(reading.arguments, null, 2) : undefined)
            }
          >
            JSON
          </button>
        )}
      </header>
      <ScrollArea className="fields" label="Fields">
        {tool.description && <p className="about">{tool.description}</p>}
        {json === undefined ? (
          <>
            {fields?.length === 0 && <p className="empty">This tool takes no input.</p>}
            {fields?.map((field) => (
              <FieldInput
                key={field.name}
                field={field}
                value={values[field.name]}
                error={isTried ? reading.errors[field.name] : undefined}
                onChange={(value) => setValues({ ...values, [field.name]: value })}
              />
            ))}
          </>
        ) : (
          <label className="field">
            <span className="name">Arguments</span>
            <textarea
              className="code"
              rows={10}
              spellCheck={false}
              aria-invalid={jsonError !== undefined}
              value={json}
              onChange={({ target }) => setJson(target.value)}
            />
            {jsonError && <span className="error">{jsonError}</span>}
          </label>
        )}
      </ScrollArea>
      <footer>
        <button type="submit" className="run">
          {isBusy ? "Run again" : "Run"}
        </button>
        {isBusy && (
          <button type="button" className="plain" onClick={() => host.runs.cancel()}>
            Cancel
          </button>
        )}
        <label
          className="check"
          title="Sends the input to the view in pieces, as a model writes it"
        >
          <input
            type="checkbox"
            checked={settings.streaming}
            onChange={({ target }) => host.change({ streaming: target.checked })}
          />
          Stream input
        </label>
      </footer>
    </form>
  );
}

function errorOf(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? undefined
      : "Enter an object: { … }.";
  } catch (error) {
    return `Invalid JSON: ${(error as Error).message}.`;
  }
}

function saved({ name }: Tool): FormValues | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(KEY + name) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

function save({ name }: Tool, values: FormValues): void {
  try {
    sessionStorage.setItem(KEY + name, JSON.stringify(values));
  } catch {
    // Then the user has to type it again after a reload.
  }
}
