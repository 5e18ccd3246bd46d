import { type HostScript, ScriptedHost } from "@vitrine/internal/scripted-host";
import { App, type McpUiAppCapabilities } from "@vitrine/view";

/** An `App` connected to a scripted host; `prepare` runs before the handshake. */
export async function connectApp(
  script: HostScript = {},
  { capabilities = {} as McpUiAppCapabilities, prepare = (_app: App): void => {} } = {},
): Promise<{ app: App; host: ScriptedHost }> {
  const host = new ScriptedHost(script);
  const app = new App({ name: "test", version: "1.0.0" }, capabilities, { autoResize: false });
  prepare(app);
  await app.connect(host.view);
  return { app, host };
}
