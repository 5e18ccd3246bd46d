import { type ReactNode, useEffect, useState } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import type { PromptEntry, ResourceEntry, ServerLists } from "../server-explorer.ts";
import { PromptDetail } from "./prompt-detail.tsx";
import { ResourceDetail } from "./resource-detail.tsx";
import { ScrollArea } from "./scroll-area.tsx";

type Selected = { kind: "prompt"; entry: PromptEntry } | { kind: "resource"; entry: ResourceEntry };

/** The server's prompts and resources. */
export function ServerSection({ host, isShown }: { host: DevHost; isShown: boolean }): ReactNode {
  const { listChanges } = useFields(host.state, "listChanges");
  const [lists, setLists] = useState<ServerLists | undefined>();
  const [selected, setSelected] = useState<Selected | undefined>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again whenever the server changes its lists.
  useEffect(() => {
    if (!isShown) return;
    let isCurrent = true;
    void host.explorer.list().then((found) => isCurrent && setLists(found));
    return () => {
      isCurrent = false;
    };
  }, [host, isShown, listChanges]);
  const resources = lists?.resources.filter(({ isTemplate }) => !isTemplate) ?? [];
  const templates = lists?.resources.filter(({ isTemplate }) => isTemplate) ?? [];
  const isEmpty = lists && lists.prompts.length + lists.resources.length === 0;
  return (
    <div className="explorer">
      <ScrollArea className="entries" label="Prompts and resources">
        {!lists && <p className="empty">Reading the lists…</p>}
        {isEmpty && <p className="empty">This server has no prompts and no resources.</p>}
        {lists?.problems.map((problem) => (
          <p key={problem} className="trouble">
            {problem}
          </p>
        ))}
        <Group
          title="Prompts"
          entries={lists?.prompts ?? []}
          selected={selected?.entry}
          labelOf={({ title, name }) => title ?? name}
          onSelect={(entry) => setSelected({ kind: "prompt", entry })}
        />
        <Group
          title="Resources"
          entries={resources}
          selected={selected?.entry}
          labelOf={({ name }) => name}
          onSelect={(entry) => setSelected({ kind: "resource", entry })}
        />
        <Group
          title="Resource templates"
          entries={templates}
          selected={selected?.entry}
          labelOf={({ name }) => name}
          onSelect={(entry) => setSelected({ kind: "resource", entry })}
        />
      </ScrollArea>
      <ScrollArea className="entry" label="Details">
        {!selected && <p className="empty">Choose a prompt or a resource to read it.</p>}
        {selected?.kind === "prompt" && (
          <PromptDetail key={selected.entry.name} host={host} prompt={selected.entry} />
        )}
        {selected?.kind === "resource" && (
          <ResourceDetail key={selected.entry.uri} host={host} resource={selected.entry} />
        )}
      </ScrollArea>
    </div>
  );
}

function Group<Entry extends object>({
  title,
  entries,
  selected,
  labelOf,
  onSelect,
}: {
  title: string;
  entries: readonly Entry[];
  selected: object | undefined;
  labelOf(entry: Entry): string;
  onSelect(entry: Entry): void;
}): ReactNode {
  if (entries.length === 0) return null;
  return (
    <>
      <h2>
        {title} <span>{entries.length}</span>
      </h2>
      <ul>
        {entries.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a server may list a name twice.
          <li key={index}>
            <button type="button" aria-pressed={entry === selected} onClick={() => onSelect(entry)}>
              <bdi>{labelOf(entry)}</bdi>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
