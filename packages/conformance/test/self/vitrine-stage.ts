import type { RequestListener } from "node:http";
import { createSandbox } from "@vitrine/sandbox";
import { createNodeListener } from "@vitrine/sandbox/node";
import { type Served, serve, servePage } from "./serving.ts";

/** Our host's page and our sandbox, each on its own site below `localhost`. */
export interface Stage {
  /** Address of the host's page. */
  host: string;
  /** Address of the sandbox's entrance. */
  sandbox: string;
  close(): void;
}

/** Serves both; the page is that of `vitrine-page.ts`. */
export async function openVitrineStage(): Promise<Stage> {
  let answer: RequestListener = () => {};
  let entrance = "";
  const views: Served = await serve((request, response) => answer(request, response));
  const page = await servePage(new URL("vitrine-page.ts", import.meta.url), () => ({
    sandbox: entrance,
  }));
  const host = `http://app.localhost:${page.port}`;
  const sandbox = createSandbox({
    origins: {
      tier: "localhost",
      port: views.port,
      hosts: [host],
      key: "a key of this stage, of at least 32 bytes",
    },
    // What an operator would allow: the suite's frames and permissions.
    policy: {
      approved: [{ list: "frameDomains", source: "https://frames.example.com" }],
      permissions: ["geolocation", "clipboardWrite"],
    },
  });
  answer = createNodeListener(sandbox);
  entrance = `${sandbox.origins.proxy}/`;
  return {
    host,
    sandbox: entrance,
    close: () => {
      for (const server of [page, views]) server.close();
      sandbox.close();
    },
  };
}
