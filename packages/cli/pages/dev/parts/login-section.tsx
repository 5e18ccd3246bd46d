import type { ReactNode } from "react";
import type { ServerLoginState } from "../../../src/dev/page-protocol.ts";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import { LoginButton } from "./login-button.tsx";
import { LoginSteps } from "./login-steps.tsx";
import { ScrollArea } from "./scroll-area.tsx";

/** The log-in of each server, step by step. */
export function LoginSection({ host }: { host: DevHost }): ReactNode {
  const { logins } = useFields(host.state, "logins");
  return (
    <ScrollArea className="logins" label="Log-ins">
      {logins.map((login) => (
        <ServerLogin key={login.server} host={host} login={login} />
      ))}
    </ScrollArea>
  );
}

function ServerLogin({ host, login }: { host: DevHost; login: ServerLoginState }): ReactNode {
  const { server, isNeeded, isLoggedIn, failure, steps } = login;
  return (
    <article>
      <h2>{server}</h2>
      <p className="login-state" data-needed={isNeeded}>
        {describe(login)}
      </p>
      <p>
        <LoginButton host={host} login={login} />
      </p>
      {failure && (
        <p className="trouble" role="alert">
          {failure}
        </p>
      )}
      {steps.length > 0 ? (
        <LoginSteps steps={steps} />
      ) : (
        <p className="quiet">
          {isLoggedIn
            ? "The stored token was accepted. The steps appear here when you log in again."
            : "The steps appear here."}
        </p>
      )}
    </article>
  );
}

function describe({ isNeeded, isLoggedIn, scope }: ServerLoginState): string {
  if (isNeeded && isLoggedIn)
    return scope === undefined
      ? "The server doesn't accept the stored token any more."
      : `The server wants another scope: ${scope}`;
  if (isNeeded) return "The server wants you to log in.";
  return isLoggedIn ? "You are logged in." : "The server hasn't asked for a log-in.";
}
