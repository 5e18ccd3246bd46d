import type { ReactNode } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import { ScrollArea } from "./scroll-area.tsx";

/** The view's document as assistive technology gets it, and what the user did in it. */
export function Outline({ host }: { host: DevHost }): ReactNode {
  const { inside } = useFields(host.state, "inside");
  const { outline, actions } = inside;
  return (
    <ScrollArea className="logs" label="Inside the view">
      <h2>Outline</h2>
      {outline ? <pre>{outline}</pre> : <p className="empty">The view has reported nothing.</p>}
      <h2>Your actions</h2>
      {actions.length === 0 && (
        <p className="empty">Click or type in the view. Recordings contain these actions.</p>
      )}
      {actions.map((action, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no other identity.
        <p key={index} className="entry">
          <code>{action}</code>
        </p>
      ))}
    </ScrollArea>
  );
}
