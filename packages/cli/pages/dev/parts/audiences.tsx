import type { ReactNode } from "react";
import { useFields, useStore } from "../../store.ts";
import { type Audience, type AudiencePart, audiencesOf, tokensOf } from "../audiences.ts";
import type { DevHost } from "../dev-host.ts";
import { JsonTree } from "./json-tree.tsx";
import { ScrollArea } from "./scroll-area.tsx";

const LONGEST = 4000;

/** What the model, the view and only code see of the current run. */
export function Audiences({ host }: { host: DevHost }): ReactNode {
  const { run } = useFields(host.state, "run");
  // The view's context for the model changes with its messages.
  useStore(host.timeline);
  if (!run) {
    return (
      <ScrollArea className="audiences" label="Audiences">
        <p className="empty">
          Run a tool to see which part of it the model, the view and code see.
        </p>
      </ScrollArea>
    );
  }
  const context = host.stage.host?.modelContext.snapshot() ?? [];
  return (
    <ScrollArea className="audiences" label="Audiences">
      {audiencesOf(run, context).map((audience) => (
        <Column key={audience.name} {...audience} />
      ))}
    </ScrollArea>
  );
}

function Column({ name, about, parts }: Audience): ReactNode {
  const total = parts.reduce((sum, { characters }) => sum + characters, 0);
  return (
    <div className="audience" data-audience={name}>
      <h2>
        {name} <Size characters={total} />
      </h2>
      <p className="quiet">{about}</p>
      {parts.length === 0 && <p className="empty">Nothing</p>}
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts keep their order.
        <Part key={index} {...part} />
      ))}
    </div>
  );
}

function Part({ label, value, characters }: AudiencePart): ReactNode {
  return (
    <article>
      <h3>
        {label} <Size characters={characters} />
      </h3>
      {typeof value === "string" ? (
        <pre>
          {value.slice(0, LONGEST)}
          {value.length > LONGEST && `… ${value.length - LONGEST} more characters`}
        </pre>
      ) : (
        <JsonTree value={value} open={1} />
      )}
    </article>
  );
}

function Size({ characters }: { characters: number }): ReactNode {
  const format = new Intl.NumberFormat("en");
  return (
    <span className="size">
      {format.format(characters)} characters, about {format.format(tokensOf(characters))} tokens
    </span>
  );
}
