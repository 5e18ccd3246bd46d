// The page of `vitrine chat`.

import { createRoot } from "react-dom/client";
import { AccessLost, createApi } from "./api.ts";
import { createChatPage } from "./chat-state.ts";
import { keyInAddress } from "./page-address.ts";
import { App } from "./parts/app.tsx";

const root = createRoot(document.getElementById("root") as HTMLElement);

async function start(): Promise<void> {
  const api = createApi(keyInAddress());
  root.render(<App page={createChatPage(api, await api.welcome())} />);
}

start().catch((error: unknown) =>
  root.render(
    <main className="lost">
      <h1>This page can't reach the chat</h1>
      <p>
        {error instanceof AccessLost
          ? "The address has no secret, or an old one."
          : "The program behind this page isn't running."}
      </p>
      <p>
        Start <code>vitrine chat</code> and open the address that it prints.
      </p>
    </main>,
  ),
);
