import type { ReactNode } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";

const LONGEST = 80;

/** Leads to the pages of the command's other servers. */
export function ServerPicker({ host }: { host: DevHost }): ReactNode {
  const { servers } = useFields(host.state, "servers");
  if (servers.length < 2) return null;
  return (
    <select
      className="server-picker"
      aria-label="Server"
      value={host.serverName}
      onChange={({ target }) => {
        const { url } = servers.find(({ name }) => name === target.value) ?? {};
        if (url !== undefined) location.assign(url);
      }}
    >
      {servers.map(({ name, url, reason }) => (
        <option key={name} value={name} disabled={url === undefined} title={reason}>
          {reason === undefined ? name : `${name}: ${reason.slice(0, LONGEST)}`}
        </option>
      ))}
    </select>
  );
}
