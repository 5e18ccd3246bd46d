import type { Tool } from "@vitrine/protocol/apps";
import { isVisibleTo } from "@vitrine/protocol/apps/discovery";
import { type ReactNode, useState } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import { hasView } from "../tool-view.ts";
import { Icon } from "./icon.tsx";
import { ScrollArea } from "./scroll-area.tsx";
import { ToolForm } from "./tool-form.tsx";

/** The server's tools, and the form of the selected one. */
export function ToolPanel({ host }: { host: DevHost }): ReactNode {
  const { tools, toolsError, autoViewMode, selection } = useFields(
    host.state,
    "tools",
    "toolsError",
    "autoViewMode",
    "selection",
  );
  const [search, setSearch] = useState("");
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = tools.filter(({ name, title, description }) =>
    words.every((word) => `${name} ${title} ${description}`.toLowerCase().includes(word)),
  );
  const withView = found.filter(hasView);
  const without = found.filter((tool) => !hasView(tool));
  const current =
    tools.find(({ name }) => name === selection?.tool) ?? tools.find(hasView) ?? tools[0];
  const list = { current, onChoose: ({ name }: Tool) => host.select(name) };

  return (
    <section className="tools" id="tools" aria-label="Tools">
      <div className="search">
        <Icon name="search" />
        <input
          type="search"
          aria-label="Search tools"
          placeholder={tools.length === 1 ? "Search 1 tool" : `Search ${tools.length} tools`}
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
      </div>
      <ScrollArea className="list" label="All tools">
        {toolsError && <p className="trouble">{toolsError}</p>}
        <ToolGroup title="With a view" tools={withView} {...list} />
        <ToolGroup title="Text only" tools={without} {...list} />
        {tools.length > 0 && found.length === 0 && (
          <p className="empty">No tools match “{search}”.</p>
        )}
        <label className="auto-views">
          <input
            type="checkbox"
            checked={autoViewMode === "all" || (autoViewMode === "auto" && tools.some(hasAutoView))}
            onChange={({ target }) => void host.setAutoViews(target.checked ? "all" : "off")}
          />
          Generate views for tools that have none
        </label>
      </ScrollArea>
      {current && (
        <ToolForm key={`${selection?.edition} ${current.name}`} host={host} tool={current} />
      )}
    </section>
  );
}

function ToolGroup({
  title,
  tools,
  current,
  onChoose,
}: {
  title: string;
  tools: readonly Tool[];
  current: Tool | undefined;
  onChoose(tool: Tool): void;
}): ReactNode {
  if (tools.length === 0) return null;
  return (
    <>
      <h2>
        {title} <span>{tools.length}</span>
      </h2>
      <ul>
        {tools.map((tool) => (
          <li key={tool.name}>
            <button
              type="button"
              aria-pressed={tool.name === current?.name}
              title={tool.description}
              onClick={() => onChoose(tool)}
            >
              <Icon name={hasView(tool) ? "view" : "text"} />
              <bdi>{tool.name}</bdi>
              {hasAutoView(tool) && <small>generated</small>}
              {!isVisibleTo(tool, "model") && (
                <small className="badge" title="Only the view may call it">
                  view only
                </small>
              )}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function hasAutoView(tool: Tool): boolean {
  const ui = tool._meta?.ui as { resourceUri?: unknown } | undefined;
  return typeof ui?.resourceUri === "string" && ui.resourceUri.startsWith("ui://auto-views/");
}
