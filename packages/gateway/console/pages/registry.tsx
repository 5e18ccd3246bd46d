import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Address } from "../address.ts";
import { change, withQuery } from "../api.ts";
import type { List, RegistryRow } from "../api-types.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { Chip } from "../parts/chip.tsx";
import { Filters } from "../parts/filters.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { Code, JsonBlock, LongText } from "../parts/text.tsx";
import { useMayChange } from "../session.ts";
import { useData } from "../use-data.ts";
import { visibleText } from "../visible-text.ts";

/** Servers of the configured MCP registry, and the configuration that adds one. */
export function RegistryPage({ address }: { address: Address }): JSX.Element {
  const { search } = address.query;
  const data = useData<List<RegistryRow>>(withQuery("/api/registry", { search }), { live: false });
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
        {({ items }) =>
          items.length === 0 ? (
            <Empty>No server matches. Try a shorter word.</Empty>
          ) : (
            items.map((row) => <RegistryCard key={`${row.name} ${row.version}`} row={row} />)
          )
        }
      </Shown>
    </>
  );
}

function RegistryCard({ row }: { row: RegistryRow }): JSX.Element {
  const [yaml, setYaml] = useState<string | undefined>(undefined);
  const mayChange = useMayChange();
  const { name, version, title, description, status, remotes = [], packages = [] } = row;
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
            {visibleText(status).slice(0, 40)}
          </Chip>
        )}
        <span class="gap" />
        {mayChange && yaml === undefined && (
          <ActionButton
            label={`Show configuration for ${visibleText(name)}`}
            act={async () => {
              const { yaml } = await change<{ yaml: string }>("/api/registry/import", {
                name,
                version,
              });
              setYaml(yaml);
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
        {remotes.map(({ type, url }) => (
          <li key={`${type} ${url}`}>
            <Chip tone="quiet">{visibleText(type ?? "http").slice(0, 40)}</Chip>{" "}
            <LongText value={url ?? ""} cut={100} />
          </li>
        ))}
        {packages.map(({ registryType, identifier, version }) => (
          <li key={`${registryType} ${identifier} ${version}`}>
            <Chip tone="quiet">{visibleText(registryType ?? "package").slice(0, 40)}</Chip>{" "}
            <LongText value={`${identifier}${version ? `@${version}` : ""}`} cut={100} />
          </li>
        ))}
      </ul>
      {yaml !== undefined && <Yaml text={yaml} name={visibleText(name)} />}
    </article>
  );
}

function Yaml({ text, name }: { text: string; name: string }): JSX.Element {
  return (
    <>
      <div class="section-head">
        <h3>Add this under servers in the configuration</h3>
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
