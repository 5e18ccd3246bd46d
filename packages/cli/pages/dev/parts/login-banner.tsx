import type { ReactNode } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import { LoginButton } from "./login-button.tsx";

/** Asks the user to log in, whatever the page shows. */
export function LoginBanner({ host }: { host: DevHost }): ReactNode {
  const { logins } = useFields(host.state, "logins");
  return logins
    .filter(({ isNeeded }) => isNeeded)
    .map((login) => (
      <div key={login.server} className="banner login-banner" role="status">
        <span>
          {login.isLoggedIn && login.scope !== undefined
            ? `${login.server} wants another scope: ${login.scope}`
            : `${login.server} wants you to log in.`}
        </span>
        <LoginButton host={host} login={login} />
      </div>
    ));
}
