import type { JSX } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { ApiError, read } from "../api.ts";
import type { Session } from "../api-types.ts";
import { SignIn } from "../pages/sign-in.tsx";
import { SessionContext } from "../session.ts";
import { onSignedOut } from "../use-data.ts";
import { Notices } from "./notices.tsx";
import { Shell } from "./shell.tsx";
import { Failed, Loading } from "./states.tsx";

type State =
  | { kind: "loading" }
  | { kind: "failed"; error: Error }
  | { kind: "signed-out"; message?: string }
  | { kind: "signed-in"; session: Session };

/** The whole console: the form to sign in, or the pages. */
export function App(): JSX.Element {
  const [state, setState] = useState<State>({ kind: "loading" });
  const load = useCallback(async (): Promise<void> => {
    try {
      setState({ kind: "signed-in", session: await read<Session>("/api/session") });
    } catch (error) {
      const isSignedOut = error instanceof ApiError && error.code === "signed-out";
      setState(isSignedOut ? { kind: "signed-out" } : { kind: "failed", error: error as Error });
    }
  }, []);
  useEffect(() => {
    void load();
    return onSignedOut(() =>
      setState((before) =>
        before.kind === "signed-in"
          ? { kind: "signed-out", message: "Your session has ended. Sign in again." }
          : before,
      ),
    );
  }, [load]);
  if (state.kind === "signed-in") {
    return (
      <SessionContext.Provider value={state.session}>
        <Shell session={state.session} onSignOut={() => setState({ kind: "signed-out" })} />
        <Notices />
      </SessionContext.Provider>
    );
  }
  return (
    <main class="alone">
      {state.kind === "loading" && <Loading />}
      {state.kind === "failed" && <Failed error={state.error} onRetry={load} />}
      {state.kind === "signed-out" && (
        <SignIn
          {...(state.message !== undefined && { message: state.message })}
          onSession={(session) => setState({ kind: "signed-in", session })}
        />
      )}
    </main>
  );
}
