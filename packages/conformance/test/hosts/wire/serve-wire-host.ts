import { serveWireSandbox } from "../../sandboxes/wire-sandbox.ts";
import { servePage } from "../../self/serving.ts";
import type { HostFault } from "./fault.ts";

/** The Host on the bare wire, with its Sandbox. */
export async function serveWireHost(): Promise<{
  address(fault?: HostFault): string;
  close(): void;
}> {
  const sandbox = await serveWireSandbox();
  const page = await servePage(new URL("wire-page.ts", import.meta.url), () => ({
    sandbox: `http://box.localhost:${sandbox.port}/sandbox.html`,
  }));
  return {
    address: (fault) => `http://app.localhost:${page.port}/${fault ? `?fault=${fault}` : ""}`,
    close: () => {
      page.close();
      sandbox.close();
    },
  };
}
