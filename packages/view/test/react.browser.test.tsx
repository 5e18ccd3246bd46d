import { frameView } from "@vitrine/internal/framed-view";
import { type Channel, windowChannel } from "@vitrine/protocol";
import { type App, type AppState, useApp, useAutoResize } from "@vitrine/view/react";
import { Activity, StrictMode } from "react";
import { describe, expect, test, vi } from "vitest";
import pageScript from "./react-page.tsx?script";
import { openRoot, View } from "./react-view.tsx";
import { openStage, REFUSAL } from "./skin-stage.ts";

const stage = openStage();
const render = openRoot(stage);
const { hosts, meet } = stage;

const states: AppState[] = [];
function Watched({ options }: { options: Parameters<typeof useApp>[0] }): null {
  states.push(useApp(options));
  return null;
}

describe("useApp", () => {
  test("shows connecting, then the connected app", async () => {
    render(<View options={meet({ hesitate: true })} />);
    await vi.waitFor(() => expect(hosts[0]?.methods).toEqual(["ui/initialize"]));
    expect(stage.text).toBe("connecting");
    hosts[0]?.admit();
    await vi.waitFor(() => expect(stage.text).toBe("connected"));
  });

  test("hands the app to onAppCreated before it connects", async () => {
    const seen: string[] = [];
    const onAppCreated = (app: App): void => {
      seen.push(`created after ${hosts.length} hosts`);
      app.ontoolinput = ({ arguments: args }) => seen.push(JSON.stringify(args));
    };
    render(<View options={meet({}, { onAppCreated })} />);
    await vi.waitFor(() => expect(stage.text).toBe("connected"));
    hosts[0]?.notify("ui/notifications/tool-input", { arguments: { a: 1 } });
    await vi.waitFor(() => expect(seen).toEqual(["created after 0 hosts", '{"a":1}']));
  });

  test("makes one app and greets the Host once under StrictMode", async () => {
    const created: App[] = [];
    const options = meet({}, { onAppCreated: (app) => created.push(app) });
    render(
      <StrictMode>
        <View options={options} />
      </StrictMode>,
    );
    await vi.waitFor(() => expect(stage.text).toBe("connected"));
    expect(hosts).toHaveLength(1);
    expect(created).toHaveLength(1);
  });

  test("does not connect again when the component renders with other options", async () => {
    const seen = new Set<App | null>();
    const use = (app: App | null): undefined => void seen.add(app);
    render(<View options={meet()} use={use} />);
    await vi.waitFor(() => expect(stage.text).toBe("connected"));
    render(<View options={meet()} use={use} />);
    await new Promise(requestAnimationFrame);
    expect(hosts).toHaveLength(1);
    expect(seen.size).toBe(2);
  });

  test("closes the app when the component unmounts", async () => {
    let app: App | null = null;
    const use = (current: App | null): undefined => {
      app = current;
    };
    render(<View options={meet()} use={use} />);
    await vi.waitFor(() => expect(app?.peer.channel).toBeDefined());
    render(null);
    await vi.waitFor(() => expect(app?.peer.channel).toBeUndefined());
  });

  test("reports nothing for an unmount in the middle of the handshake", async () => {
    let app: App | undefined;
    const onAppCreated = (created: App): void => {
      app = created;
    };
    render(<View options={meet({ hesitate: true }, { onAppCreated })} />);
    await vi.waitFor(() => expect(hosts[0]?.methods).toEqual(["ui/initialize"]));
    render(null);
    await vi.waitFor(() => expect(app?.peer.channel).toBeUndefined());
  });

  test("drops the closed app while an Activity hides it, and connects again after", async () => {
    const options = meet();
    const show = (mode: "visible" | "hidden"): void =>
      render(
        <Activity mode={mode}>
          <Watched options={options} />
        </Activity>,
      );
    show("visible");
    await vi.waitFor(() => expect(states.at(-1)?.isConnected).toBe(true));
    const first = states.at(-1)?.app;
    show("hidden");
    await vi.waitFor(() => expect(first?.peer.channel).toBeUndefined());
    const before = states.length;
    show("visible");
    await vi.waitFor(() => expect(states.at(-1)?.isConnected).toBe(true));
    expect(states.slice(before).map(({ app }) => app)).not.toContain(first);
    expect(hosts).toHaveLength(2);
  });

  test("shows why the Host refused", async () => {
    render(<View options={meet(REFUSAL)} />);
    await vi.waitFor(() => expect(stage.text).toBe("not today"));
  });

  test("shows what onAppCreated threw", async () => {
    const onAppCreated = (): never => {
      throw new TypeError("no such handler");
    };
    render(<View options={meet({}, { onAppCreated })} />);
    await vi.waitFor(() => expect(stage.text).toBe("no such handler"));
  });

  test("talks to the parent window by default, in a sandboxed frame, once under StrictMode", async () => {
    const view = frameView([pageScript], "opaque");
    const channel: Channel = windowChannel(view.window);
    const methods: string[] = [];
    channel.onmessage = ({ id, method }) => {
      methods.push(method);
      if (method !== "ui/initialize") return;
      const result = {
        protocolVersion: "2026-01-26",
        hostInfo: { name: "raw", version: "1" },
        hostCapabilities: {},
        hostContext: { locale: "de-AT", styles: { variables: { "--font-sans": "serif" } } },
      };
      channel.send({ jsonrpc: "2.0", id, result });
      const params = { arguments: { city: "Graz" } };
      channel.send({ jsonrpc: "2.0", method: "ui/notifications/tool-input", params });
    };
    channel.start?.();
    await view.load();
    // The page says what it shows, since nobody can look into an opaque frame.
    await vi.waitFor(() => expect(methods).toContain('shows: de-AT serif {"city":"Graz"}'));
    expect(methods.slice(0, 2)).toEqual(["ui/initialize", "ui/notifications/initialized"]);
    expect(methods.filter((method) => method === "ui/initialize")).toHaveLength(1);
    channel.close();
    view.remove();
  });
});

describe("useAutoResize", () => {
  const sizes = (): number => hosts[0]?.all("ui/notifications/size-changed").length ?? 0;

  test("reports the size for an app that was made without", async () => {
    render(<View options={meet()} use={(app) => void useAutoResize(app)} />);
    await vi.waitFor(() => expect(sizes()).toBeGreaterThan(0));
  });

  test("isn't needed with useApp, which reports by default", async () => {
    render(<View options={meet({}, { autoResize: undefined })} />);
    await vi.waitFor(() => expect(sizes()).toBeGreaterThan(0));
  });
});
