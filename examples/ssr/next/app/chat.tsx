"use client";

import { createHost, webStore } from "@vitrine/host";
import { McpApp, useModelContext, VitrineProvider } from "@vitrine/host/react";
import { useState } from "react";
import { call, summary } from "./booking";

const host = createHost({
  sandbox: process.env.NEXT_PUBLIC_SANDBOX ?? "http://proxy.localhost:8081/",
  store: webStore(),
});

export function Chat({ id }: { id: string }) {
  const [isAside, setAside] = useState(false);
  const view = <McpApp {...call} fallback={summary} />;
  return (
    <VitrineProvider host={host} conversation={id}>
      <main>
        <p>A table for tonight, please.</p>
        <article>{isAside ? <p>Moved to the side.</p> : view}</article>
        <NextTurn />
        <button type="button" onClick={() => setAside(!isAside)}>
          Move
        </button>
      </main>
      <aside>{isAside && view}</aside>
    </VitrineProvider>
  );
}

function NextTurn() {
  return <footer>{useModelContext().length} apps have told the model something.</footer>;
}
