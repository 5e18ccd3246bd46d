import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Address } from "../address.ts";
import { change, read, withQuery } from "../api.ts";
import type { ImportedServer, List, RegistryRow } from "../api-types.ts";
import { counted } from "../format.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { Chip } from "../parts/chip.tsx";
import { Filters } from "../parts/filters.tsx";
import { Icon } from "../parts/icon.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { Code, JsonBlock, LongText, Text } from "../parts/text.tsx";
import { useMayChange } from "../session.ts";
import { useData } from "../use-data.ts";
import { visibleText } from "../visible-text.ts";

/** Servers of the configured MCP registry, and the configuration that adds one. */
export function RegistryPage({ address }: { address: Address }): JSX.Element {
  const { search } = address.query;
  const data = useData<List<RegistryRow>>(withQuery("/api/registry", { search }), { live: false });
  const [more, setMore] = useState<List<RegistryRow>>({ items: [] });
  // Further pages belong to one first page.
  useEffect(() => setMore({ items: [] }), [data.value]);
  return (
    <>
      <PageHead
        title="Registry"
        lead="Servers of the MCP registry. A server is added in the gateway's configuration; its tools wait for approval."
      />
      <Filters
        key={search ?? ""}
        address={address}
        fields={[{ name: "search", label: "Name or words", placeholder: "weather" }]}
        verb="Search"
      />
      <Shown data={data}>
        {(first) => {
          const items = [...first.items, ...more.items];
          const next = more.items.length > 0 ? more.next : first.next;
          if (items.length === 0) return <Empty>No server matches. Try a shorter word.</Empty>;
          return (
            <>
              {items.map((row) => (
                <RegistryCard key={`${row.name} ${row.version}`} row={row} />
              ))}
              {next !== undefined && (
                <div class="more">
                  <ActionButton
                    act={async () => {
                      const query = { search, cursor: next };
                      const page = await read<List<RegistryRow>>(withQuery("/api/registry", query));
                      setMore({ ...page, items: [...more.items, ...page.items] });
                      return `${counted(page.items.length, "server")} added.`;
                    }}
                  >
                    More servers
                  </ActionButton>
                </div>
              )}
            </>
          );
        }}
      </Shown>
    </>
  );
}

function RegistryCard({ row }: { row: RegistryRow }): JSX.Element {
  const [imported, setImported] = useState<ImportedServer | undefined>(undefined);
  const mayChange = useMayChange();
  const { name, version, title, description, status, remotes, packages } = row;
  return (
    <article class="card" aria-label={visibleText(name)}>
      <div class="tool-head">
        <h2>
          <Code value={name} />
        </h2>
        <span class="quiet">
          <LongText value={version} cut={40} />
        </span>
        {status && status !== "active" && (
          <Chip tone="warning" icon="alert">
            {visibleText(status)}
          </Chip>
        )}
        <span class="gap" />
        {mayChange && imported === undefined && (
          <ActionButton
            label={`Show configuration for ${visibleText(name)}`}
            act={async () => {
              const path = "/api/registry/import";
              setImported(await change<ImportedServer>(path, { name, version }));
              return `The configuration for ${visibleText(name)} is shown.`;
            }}
          >
            Show configuration
          </ActionButton>
        )}
      </div>
      {title && (
        <p>
          <LongText value={title} />
        </p>
      )}
      {description && (
        <p class="quiet">
          <LongText value={description} cut={280} />
        </p>
      )}
      <ul class="sources">
        {remotes.map(({ type, url, headers }) => (
          <li key={url}>
            <Chip tone="quiet">{type}</Chip> <LongText value={url} cut={100} />
            <Needs what="header" names={headers} />
          </li>
        ))}
        {packages.map(({ type, identifier, version, variables }) => (
          <li key={`${type} ${identifier}`}>
            <Chip tone="quiet">{type}</Chip>{" "}
            <LongText value={`${identifier}@${version}`} cut={100} />
            <Needs what="variable" names={variables} />
          </li>
        ))}
      </ul>
      {imported && <Yaml imported={imported} name={visibleText(name)} />}
    </article>
  );
}

/** What an operator has to supply. */
function Needs({ what, names }: { what: string; names: readonly string[] }): JSX.Element | null {
  if (names.length === 0) return null;
  return (
    <span class="note">
      Needs the {what}
      {names.length > 1 && "s"} <Text value={names.join(", ")} />
    </span>
  );
}

function Yaml({ imported, name }: { imported: ImportedServer; name: string }): JSX.Element {
  const { yaml: text, warnings } = imported;
  return (
    <>
      {warnings.map((warning) => (
        <p key={warning} class="stale">
          <Icon name="alert" />
          <Text value={warning} />
        </p>
      ))}
      <div class="section-head">
        <h3>Add this to the configuration</h3>
        <ActionButton
          kind="small"
          label={`Copy the configuration for ${name}`}
          act={async () => {
            await navigator.clipboard.writeText(text);
            return "Copied.";
          }}
        >
          Copy
        </ActionButton>
      </div>
      <JsonBlock value={text} label={`Configuration for ${name}`} />
    </>
  );
}
