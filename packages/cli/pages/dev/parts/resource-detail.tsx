import { type ReactNode, useState } from "react";
import type { DevHost } from "../dev-host.ts";
import type { ResourceEntry } from "../server-explorer.ts";
import { ServerReading } from "./server-reading.tsx";

/** A resource as text. */
export function ResourceDetail({
  host,
  resource,
}: {
  host: DevHost;
  resource: ResourceEntry;
}): ReactNode {
  const [address, setAddress] = useState(resource.uri);
  return (
    <ServerReading
      title={resource.name}
      description={resource.description}
      action="Read"
      read={() => host.explorer.readResource(address)}
    >
      <label className="field">
        <span className="name">Address</span>
        <input
          required
          readOnly={!resource.isTemplate}
          value={address}
          onChange={({ target }) => setAddress(target.value)}
        />
        {resource.isTemplate && (
          <span className="quiet">Replace the parts in braces with values.</span>
        )}
      </label>
    </ServerReading>
  );
}
