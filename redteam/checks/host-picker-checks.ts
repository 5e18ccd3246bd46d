import { openHost } from "../stage/host-scene.ts";
import { hostedView } from "../stage/host-view.ts";
import { type Check, type Scene, unless, unlessTried } from "./check.ts";

const KINDS = ["color", "select"] as const;

/** What the browser draws for a view, above all of the page. */
export const HOST_PICKER_CHECKS: readonly Check[] = [
  {
    id: "host-pickers",
    title: "S39: a picker that a view has opened is closed while a question is open",
    entries: [137, 196],
    stages: ["tier-2"],
    alone: true,
    async run(scene) {
      const complaints: string[] = [];
      // One after the other: another page in front would close the picker as well.
      for (const kind of KINDS) complaints.push(...(await openPicker(scene, kind)));
      return complaints;
    },
  },
];

async function openPicker(scene: Scene, kind: (typeof KINDS)[number]): Promise<string[]> {
  const html = hostedView(async (what: string) => {
    await greet();
    const field = document.createElement(what === "select" ? "select" : "input");
    if (field instanceof HTMLInputElement) field.type = what;
    else field.innerHTML = "<option>1<option>2";
    field.style.cssText = "position:fixed;inset:0;width:100%;height:100%";
    document.body.append(field);
    const isOpen = () => field.matches(":open");
    field.addEventListener("click", () => {
      setTimeout(() => {
        say({ before: isOpen() });
        void ask("tools/call", { name: "pay", arguments: {} });
        let count = 0;
        // Chromium runs timers of frames that aren't drawn once a second.
        setInterval(() => {
          count += 1;
          // The click still counts as the user's for some seconds.
          if (count === 2) {
            try {
              field.showPicker();
            } catch {
              // Refused, as it should be.
            }
          }
          if (count === 4) say({ after: isOpen() });
        }, 300);
      }, 300);
    });
  }, kind);
  const tools = [{ name: "show", html }, { name: "pay" }];
  const host = await openHost(scene, [{ name: `picker-${kind}`, tools }], { consent: "dialog" });
  await host.show({ key: "view", server: `picker-${kind}`, tool: "show" });
  await host.page.bringToFront();
  await host.click();
  const said = (await host.untilSaid(2)) as { before?: boolean; after?: boolean }[];
  const isAsked = await host.page.evaluate(() => window.site.root("dialog") !== undefined);
  const { dialogs } = await host.record();
  return [
    ...unlessTried(isAsked || dialogs.length > 0, `${kind}: the user was not asked`),
    ...unlessTried(said[0]?.before, `${kind}: the picker did not open`),
    ...unless(said[1]?.after === false, `${kind}: the picker is above the question`),
  ];
}
