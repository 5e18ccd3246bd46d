import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { change, read } from "../api.ts";
import type { Session } from "../api-types.ts";
import { Text } from "../parts/text.tsx";

/** The form for an administrator's token. The token is sent once and kept nowhere in the page. */
export function SignIn({
  message,
  onSession,
}: {
  message?: string;
  onSession(session: Session): void;
}): JSX.Element {
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await change("/api/session", { token: token.trim() });
      onSession(await read<Session>("/api/session"));
    } catch (error) {
      setProblem((error as Error).message);
      setBusy(false);
    }
  };
  return (
    <form
      class="sign-in card"
      onSubmit={(event) => {
        event.preventDefault();
        if (token.trim()) void submit();
      }}
    >
      <h1>Sign in to the gateway</h1>
      {message && <p role="status">{message}</p>}
      <label class="field">
        <span>Admin token</span>
        <input
          type="password"
          name="token"
          autocomplete="current-password"
          required
          value={token}
          aria-invalid={problem !== undefined}
          aria-describedby="token-help"
          onInput={({ currentTarget }) => setToken(currentTarget.value)}
        />
        <small id="token-help" class={problem ? "problem" : undefined} role="status">
          {problem ? <Text value={problem} /> : "From the gateway's configuration, under admin."}
        </small>
      </label>
      <button type="submit" class="primary" disabled={isBusy}>
        {isBusy ? "Signing in…" : "Sign in"}
      </button>
    </form>
  );
}
