import type { Scenario, Story } from "@vitrine/testing";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import { hostOf, MOCK_KINDS, type MockKind, mockResult } from "../scenarios.ts";

/** A scenario while the author edits it. */
export interface MockDraft {
  name: string;
  /** The fields without a form of their own. */
  scenario: Omit<Scenario, "input" | "result" | "cancelled">;
  /** JSON. */
  input: string;
  kind: MockKind;
  /** JSON. */
  result: string;
}

const DELAYS: Record<number, string> = { 0: "At once", 2000: "After 2 s", 10000: "After 10 s" };

/** Runs a tool with a result that the author writes; the server isn't called. */
export function MockForm({
  host,
  draft,
  onChange,
  onUseRun,
  onRun,
  onSave,
}: {
  host: DevHost;
  draft: MockDraft;
  onChange(draft: MockDraft): void;
  onUseRun(): void;
  onRun(scenario: Scenario, delay: number): void;
  onSave(story: Story): Promise<void>;
}): ReactNode {
  const { tools, run, settings } = useFields(host.state, "tools", "run", "settings");
  const [delay, setDelay] = useState(0);
  const [problem, setProblem] = useState("");
  const id = useId();
  const hasResult = draft.kind !== "cancelled" && draft.kind !== "waiting";
  const read = (use: (scenario: Scenario) => void): void => {
    setProblem("");
    try {
      use(readDraft(draft));
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    read((scenario) => onRun(scenario, delay));
  };
  return (
    <form aria-label="Mock result" onSubmit={submit}>
      <header>
        <h2>Mock result</h2>
        {run && (
          <button type="button" className="plain small" onClick={onUseRun}>
            Use current run
          </button>
        )}
      </header>
      <p className="quiet">Runs a tool with a result that you write. The server isn't called.</p>
      <label className="field">
        <span className="name">Tool</span>
        <select
          value={draft.scenario.tool}
          onChange={({ target }) =>
            onChange({ ...draft, scenario: { ...draft.scenario, tool: target.value } })
          }
        >
          {tools.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label className="field">
        <span className="name">Input</span>
        <textarea
          className="code"
          rows={4}
          spellCheck={false}
          value={draft.input}
          onChange={({ target }) => onChange({ ...draft, input: target.value })}
        />
      </label>
      <div className="pair">
        <label className="field">
          <span className="name">Outcome</span>
          <select
            value={draft.kind}
            onChange={({ target }) => {
              const kind = target.value as MockKind;
              const result = mockResult(kind);
              onChange({ ...draft, kind, result: result ? JSON.stringify(result, null, 2) : "" });
            }}
          >
            {Object.entries(MOCK_KINDS).map(([kind, label]) => (
              <option key={kind} value={kind}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span className="name">When</span>
          <select value={delay} onChange={({ target }) => setDelay(Number(target.value))}>
            {Object.entries(DELAYS).map(([time, label]) => (
              <option key={time} value={time}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </div>
      {hasResult && (
        <label className="field">
          <span className="name">Result</span>
          <textarea
            className="code"
            rows={8}
            spellCheck={false}
            value={draft.result}
            onChange={({ target }) => onChange({ ...draft, result: target.value })}
          />
        </label>
      )}
      {problem && (
        <p className="trouble" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" className="run">
        Run with mock
      </button>
      <div className="save">
        <label className="name" htmlFor={id}>
          Name
        </label>
        <input
          id={id}
          maxLength={128}
          placeholder="Two open orders"
          value={draft.name}
          onChange={({ target }) => onChange({ ...draft, name: target.value })}
        />
        <button
          type="button"
          className="plain"
          disabled={draft.name.trim() === ""}
          onClick={() =>
            read(
              (scenario) =>
                void onSave({ name: draft.name.trim(), ...scenario, host: hostOf(settings) }),
            )
          }
        >
          Save
        </button>
      </div>
      <p className="quiet">A file contains the input and the result, with private data in _meta.</p>
    </form>
  );
}

function readDraft({ scenario, input, kind, result }: MockDraft): Scenario {
  return {
    ...scenario,
    input: parse("Input", input) as Record<string, unknown>,
    ...(kind === "cancelled" && { cancelled: "by the user" }),
    ...(kind !== "cancelled" &&
      kind !== "waiting" && { result: parse("Result", result) as NonNullable<Scenario["result"]> }),
  };
}

function parse(label: string, text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`${label} isn't valid JSON: ${(error as Error).message}.`, { cause: error });
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new Error(`${label} must be an object: { … }.`);
}
