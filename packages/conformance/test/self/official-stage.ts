import { serveWireSandbox } from "../sandboxes/wire-sandbox.ts";
import { servePage } from "./serving.ts";
import type { Stage } from "./vitrine-stage.ts";

/** A page around the official bridge, and a sandbox like the official example's. */
export async function openOfficialStage(): Promise<Stage> {
  const sandbox = await serveWireSandbox();
  const page = await servePage(new URL("official-page.ts", import.meta.url), () => ({
    sandbox: `http://box.localhost:${sandbox.port}/sandbox.html?fault=basic-host`,
  }));
  return {
    host: `http://app.localhost:${page.port}`,
    sandbox: sandbox.address("basic-host"),
    close: () => {
      page.close();
      sandbox.close();
    },
  };
}
