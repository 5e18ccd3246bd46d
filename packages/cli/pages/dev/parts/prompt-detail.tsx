import { type ReactNode, useState } from "react";
import type { DevHost } from "../dev-host.ts";
import type { PromptEntry } from "../server-explorer.ts";
import { ServerReading } from "./server-reading.tsx";

/** A prompt: the form of its arguments, and the messages that the server makes of them. */
export function PromptDetail({ host, prompt }: { host: DevHost; prompt: PromptEntry }): ReactNode {
  const [values, setValues] = useState<Record<string, string>>({});
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
  return (
    <ServerReading
      title={prompt.title ?? prompt.name}
      description={prompt.description}
      action="Get prompt"
      read={() => host.explorer.getPrompt(prompt.name, given)}
    >
      {prompt.arguments.map(({ name, description, isRequired }) => (
        <label key={name} className="field">
          <span className="name">
            <bdi>{name}</bdi> {isRequired && <span className="quiet">required</span>}
          </span>
          <input
            required={isRequired}
            value={values[name] ?? ""}
            onChange={({ target }) => setValues({ ...values, [name]: target.value })}
          />
          {description && <span className="quiet">{description}</span>}
        </label>
      ))}
    </ServerReading>
  );
}
