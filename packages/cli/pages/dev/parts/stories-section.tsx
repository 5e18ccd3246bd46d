import { type ReactNode, useEffect, useState } from "react";
import type { StoryFile } from "../../../src/stories/story-file.ts";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import { settingsFor } from "../scenarios.ts";
import {
  AXES,
  type Axis,
  type AxisValues,
  FIRST_VALUES,
  hostOfCell,
  optionsOf,
} from "../story-grid.ts";
import { ScrollArea } from "./scroll-area.tsx";
import { StoryCell } from "./story-cell.tsx";

/** The states of the views, as a grid over one property of the host. */
export function StoriesSection({
  host,
  isShown,
  onSelect,
}: {
  host: DevHost;
  isShown: boolean;
  onSelect(id: string): void;
}): ReactNode {
  const [files, setFiles] = useState<StoryFile[] | undefined>();
  const [axis, setAxis] = useState<Axis>("theme");
  const [values, setValues] = useState<AxisValues>(FIRST_VALUES);
  const [trouble, setTrouble] = useState("");
  useEffect(() => {
    if (!isShown) return;
    const read = (): void => {
      host.stories.list().then(
        (found) => {
          setFiles(found);
          setTrouble("");
        },
        (error: Error) => setTrouble(error.message),
      );
    };
    read();
    return host.stories.onChange(read);
  }, [host, isShown]);
  return (
    <div className="stories">
      <StoryToolbar host={host} axis={axis} values={values} onAxis={setAxis} onValues={setValues} />
      <ScrollArea className="story-list" label="Stories">
        {trouble && <p className="trouble">{trouble}</p>}
        {!files && !trouble && <p className="empty">Reading the stories…</p>}
        {files?.length === 0 && <NoStories />}
        {/* A hidden section has no views: each is a process of the browser. */}
        {isShown &&
          files?.map((file) => (
            <StoryGroup
              key={file.file}
              host={host}
              file={file}
              axis={axis}
              values={values}
              onOpened={() => onSelect("run")}
            />
          ))}
      </ScrollArea>
    </div>
  );
}

function NoStories(): ReactNode {
  return (
    <div className="empty">
      <p>This project has no stories. A story is one state of a view.</p>
      <p>
        Write a file such as <code>views/tasks.stories.ts</code> that exports the result of{" "}
        <code>defineStories()</code> of <code>@vitrine/testing</code> as its default.
      </p>
    </div>
  );
}

function StoryToolbar({
  host,
  axis,
  values,
  onAxis,
  onValues,
}: {
  host: DevHost;
  axis: Axis;
  values: AxisValues;
  onAxis(axis: Axis): void;
  onValues(values: AxisValues): void;
}): ReactNode {
  const { profiles } = useFields(host.state, "profiles");
  const axes = Object.keys(AXES) as Axis[];
  return (
    <div className="toolbar" role="toolbar" aria-label="Grid">
      <label className="axis">
        Compare
        <select
          className="choice"
          value={axis}
          onChange={({ target }) => onAxis(target.value as Axis)}
        >
          {axes.map((one) => (
            <option key={one} value={one}>
              {AXES[one]}
            </option>
          ))}
        </select>
      </label>
      {axes
        .filter((one) => one !== axis)
        .map((one) => (
          <label className="axis" key={one}>
            {AXES[one]}
            <select
              className="choice"
              value={values[one]}
              onChange={({ target }) => onValues({ ...values, [one]: target.value })}
            >
              <option value="">Story's own</option>
              {optionsOf(one, profiles).map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        ))}
    </div>
  );
}

function StoryGroup({
  host,
  file: { file, stories, error },
  axis,
  values,
  onOpened,
}: {
  host: DevHost;
  file: StoryFile;
  axis: Axis;
  values: AxisValues;
  onOpened(): void;
}): ReactNode {
  const { tools, profiles } = useFields(host.state, "tools", "profiles");
  return (
    <section className="story-group" aria-label={file}>
      <h2>
        <code>{file}</code>
      </h2>
      {error && (
        <p className="trouble" role="alert">
          {file}
          {error.line !== undefined && `:${error.line}`}: {error.message}
        </p>
      )}
      {stories.map((story) => {
        const tool = tools.find(({ name }) => name === story.tool);
        return (
          <section key={story.name} className="story-row" aria-label={story.name}>
            <h3>{story.name}</h3>
            {!tool && tools.length > 0 && (
              <p className="trouble">
                The server has no tool <code>{story.tool}</code>.
              </p>
            )}
            <div className="story-cells">
              {tool &&
                optionsOf(axis, profiles).map(({ value, label }) => {
                  const wanted = hostOfCell(story, { ...values, [axis]: value });
                  return (
                    <StoryCell
                      key={value}
                      host={host}
                      story={story}
                      tool={tool}
                      wanted={wanted}
                      label={label}
                      onOpen={() => {
                        host.change(settingsFor({ profile: "", ...wanted }));
                        void host.runs.play(tool, story);
                        onOpened();
                      }}
                    />
                  );
                })}
            </div>
          </section>
        );
      })}
    </section>
  );
}
