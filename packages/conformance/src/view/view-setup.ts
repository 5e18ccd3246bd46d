// Hosts for testing a view: one that offers everything, one that offers nothing.

import type { HostScript } from "../targets/host-page.ts";
import type { ViewSession } from "../targets/view-session.ts";
import type { ViewTarget } from "../targets/view-target.ts";

/** Every capability, every display mode, and a response to every request. */
export function generousHost({ result }: ViewTarget): HostScript {
  const modalities = { text: {}, image: {}, resource: {}, resourceLink: {}, structuredContent: {} };
  return {
    hostCapabilities: {
      openLinks: {},
      downloadFile: {},
      serverTools: { listChanged: true },
      serverResources: { listChanged: true },
      logging: {},
      message: modalities,
      updateModelContext: modalities,
      sampling: { tools: {} },
    },
    hostContext: {
      theme: "light",
      displayMode: "inline",
      availableDisplayModes: ["inline", "fullscreen", "pip"],
      containerDimensions: { maxWidth: 640, maxHeight: 2000 },
      locale: "en-GB",
      timeZone: "Europe/Berlin",
      platform: "web",
    },
    answers: {
      "ui/open-link": {},
      "ui/message": {},
      "ui/update-model-context": {},
      "ui/download-file": {},
      "tools/call": result,
      "tools/list": { tools: [] },
      "resources/read": { contents: [] },
      "resources/list": { resources: [] },
      "resources/templates/list": { resourceTemplates: [] },
      "prompts/list": { prompts: [] },
      "sampling/createMessage": {
        role: "assistant",
        content: { type: "text", text: "An answer." },
        model: "none",
      },
    },
  };
}

/** The minimal host: no capability, and its current mode. */
export const POOR_HOST: HostScript = {
  hostContext: { displayMode: "inline", availableDisplayModes: ["inline"] },
};

/** Shows the view in this host, and always closes it. */
export async function withView<T>(
  target: ViewTarget,
  script: HostScript,
  use: (session: ViewSession) => Promise<T>,
): Promise<T> {
  const session = await target.open(script);
  try {
    return await use(session);
  } finally {
    await session.close();
  }
}

/** Sends a view its tool call, and presses everything in it. */
export async function exercise(target: ViewTarget, session: ViewSession): Promise<void> {
  await session.ready();
  await session.tell(target);
  await session.settled();
  await session.pressEverything();
}

/** The params of every request of the method that the view made when everything was pressed. */
export function askedOf(
  target: ViewTarget,
  script: HostScript,
  method: string,
): Promise<Record<string, unknown>[]> {
  return withView(target, script, async (session) => {
    await exercise(target, session);
    return (await session.all(method)).map(({ params }) => params ?? {});
  });
}
