import type { Story } from "@vitrine/testing";
import { type ReactNode, useEffect, useState } from "react";
import type { ScenarioSummary } from "../../../src/dev/page-protocol.ts";
import type { DevHost } from "../dev-host.ts";
import { kindOf, scenarioOf } from "../scenarios.ts";
import { type MockDraft, MockForm } from "./mock-form.tsx";
import { ScrollArea } from "./scroll-area.tsx";

/** Mock results, and the scenario files of the project. */
export function Scenarios({ host }: { host: DevHost }): ReactNode {
  const [files, setFiles] = useState<readonly ScenarioSummary[]>([]);
  const [problem, setProblem] = useState("");
  const [saved, setSaved] = useState("");
  const [draft, setDraft] = useState<MockDraft>(() => draftOfRun(host));
  const attempt = async (action: () => Promise<void>): Promise<void> => {
    setProblem("");
    setSaved("");
    try {
      await action();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const list = (): Promise<void> => attempt(async () => setFiles(await host.scenarios.list()));
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the tab is opened.
  useEffect(() => void list(), []);
  const play = (story: Omit<Story, "name">, delay = 0): void =>
    void attempt(async () => host.playScenario(story, { delay }));

  return (
    <ScrollArea className="scenarios" label="Scenarios">
      <MockForm
        host={host}
        draft={draft}
        onChange={setDraft}
        onUseRun={() => setDraft(draftOfRun(host))}
        onRun={play}
        onSave={(story) =>
          attempt(async () => {
            const file = await host.scenarios.save(story);
            setFiles(await host.scenarios.list());
            setSaved(`Saved as scenarios/${file}.`);
          })
        }
      />
      {problem && (
        <p className="trouble" role="alert">
          {problem}
        </p>
      )}
      <p role="status" className="quiet">
        {saved}
      </p>
      <h2>
        Saved scenarios <span className="quiet">{files.length}</span>
      </h2>
      {files.length === 0 && (
        <p className="empty">Files of scenarios/*.scenario.json of your project appear here.</p>
      )}
      <ul>
        {files.map(({ file, name, tool }) => (
          <li key={file} title={file}>
            <bdi>{name}</bdi>
            <span className="quiet">
              <bdi>{tool}</bdi>
            </span>
            <button
              type="button"
              className="plain small"
              aria-label={`Run ${name}`}
              onClick={() =>
                void attempt(async () => {
                  const story = await host.scenarios.read(file);
                  setDraft(draftOf(story));
                  host.playScenario(story);
                })
              }
            >
              Run
            </button>
          </li>
        ))}
      </ul>
    </ScrollArea>
  );
}

function draftOfRun(host: DevHost): MockDraft {
  const { run, tools } = host.state.get();
  if (!run) return draftOf({ name: "", tool: tools[0]?.name ?? "", input: {}, result: undefined });
  return draftOf({ name: "", ...scenarioOf(run, host.timeline.rows) });
}

function draftOf(
  story: Omit<Story, "result"> & { result?: Story["result"] | undefined },
): MockDraft {
  const { name, result, cancelled, input, ...rest } = story;
  const kind = kindOf({ ...(result && { result }), ...(cancelled !== undefined && { cancelled }) });
  return {
    name,
    scenario: rest,
    input: JSON.stringify(input ?? {}, null, 2),
    kind,
    result: result ? JSON.stringify(result, null, 2) : "",
  };
}
