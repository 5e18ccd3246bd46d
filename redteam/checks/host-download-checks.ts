import { setTimeout as sleep } from "node:timers/promises";
import { type HostScene, openView } from "../stage/host-scene.ts";
import { hostedView } from "../stage/host-view.ts";
import { type Check, unless, unlessTried } from "./check.ts";

/** Names as a view would like them, in the address of the content. */
const NAMES = [
  ...["../../.bashrc", "..%2f..%2f.ssh%2fauthorized_keys", "..%5c..%5cstartup%5crun.bat"],
  ...["C:%5CWindows%5Cx.dll", "con", "AUX.txt", "lpt1.tar.gz", "x.html", "X.HtMl", "page.svg"],
  ...["report.pdf.lnk", "invoice.pdf.exe", "setup.exe.", "setup.exe%20", "a.desktop", "m.url"],
  ...["invoice%E2%80%AEfdp.exe", "a%00.exe", "a%0d%0ab.exe", `${"n".repeat(400)}.exe`],
  ...["sheet.xlsm", "desktop.rdp", "tool.py", "phone.mobileconfig", "disk.vhdx"],
];

/** What a double click would run, whatever stands before it. */
const ACTIVE =
  /\.(exe|bat|cmd|com|scr|lnk|url|desktop|html?|svg|dll|jar|sh|ps1|vbs|js|xlsm|rdp|py|mobileconfig|vhdx)[. ]*$/i;
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/u;

/** `ui/download-file`: what is saved, under which name, and where it comes from. */
export const HOST_DOWNLOAD_CHECKS: readonly Check[] = [
  {
    id: "host-download-names",
    title: `S45: ${NAMES.length} file names that lead elsewhere, run or deceive are saved as harmless ones`,
    entries: [113],
    stages: ["tier-2"],
    async run(scene) {
      const html = hostedView(async (names) => {
        await greet();
        const contents = names.map((name) => {
          return { type: "resource", resource: { uri: `file:///${name}`, text: "x" } };
        });
        let next = 0;
        addEventListener("click", async () => {
          const some = contents.slice(next, next + 5);
          next += 5;
          const answer = await ask("ui/download-file", { contents: some });
          say({ next, refused: answer.result?.isError });
        });
      }, NAMES);
      const host = await openView(scene, html);
      for (let done = 5; done <= NAMES.length; done += 5) {
        await host.click();
        await host.untilSaid(done / 5);
        await sleep(1100);
      }
      const { asked } = await host.until(() => host.saved.length >= NAMES.length, 15_000);
      const told = asked.flatMap(({ names }) => names as string[]);
      return [
        ...unlessTried(
          host.saved.length === NAMES.length,
          `${host.saved.length} of ${NAMES.length} were saved`,
        ),
        ...host.saved.flatMap(nameComplaints),
        ...told.flatMap(nameComplaints),
      ];
    },
  },
  {
    id: "host-download-limits",
    title: "nothing is saved without a click, against the user's word, in masses or gigabytes",
    entries: [113],
    stages: ["tier-2"],
    async run(scene) {
      const html = hostedView(async () => {
        await greet();
        const file = { type: "resource", resource: { uri: "file:///a.txt", text: "x" } };
        const large = { type: "resource_link", uri: "file:///b.bin", name: "b", size: 2 ** 30 };
        const attempts = [[file], Array(1000).fill(file), [large]];
        const run = async () => {
          for (const contents of attempts.splice(0)) {
            const { result, error } = await ask("ui/download-file", { contents });
            say({ files: contents.length, why: result?.message ?? error?.message ?? "" });
            await new Promise((resolve) => setTimeout(resolve, 1100));
          }
          say("done");
        };
        say(await ask("ui/download-file", { contents: [file] }));
        await new Promise((resolve) => setTimeout(resolve, 1100));
        addEventListener("click", run);
        say("ready");
      });
      const complaints: string[] = [];
      for (const consent of ["no", "yes"] as const) {
        const host = await openView(scene, html, { consent });
        await host.untilSaid(2);
        const { asked } = await host.record();
        complaints.push(...unless(asked.length === 0, "the user was asked without a click"));
        await host.click();
        await host.until(({ said }) => said.some(({ data }) => data === "done"));
        await sleep(500);
        const saved = host.saved.length;
        complaints.push(
          ...unless(consent === "yes" || saved === 0, `${saved} saved although the user said no`),
          ...unless(saved <= 1, `${saved} files were saved`),
          ...unlessTried(consent === "no" || saved === 1, "an honest file was not saved"),
        );
      }
      return complaints;
    },
  },
  {
    id: "host-download-source",
    title: "a link to be saved is read from the view's own server and fetched from nowhere",
    entries: [114],
    stages: ["tier-2"],
    async run(scene) {
      const trap = await scene.trap();
      const uris = [
        ...[`${trap.base}/internal`, `${trap.declarable}/internal`, "file:///etc/passwd"],
        ...["http://169.254.169.254/latest/meta-data", `${scene.stage.hostOrigin}/host/`],
      ];
      const html = hostedView(async (list) => {
        await greet();
        const contents = list.map((uri) => ({ type: "resource_link", uri, name: "a" }));
        addEventListener("click", async () => say(await ask("ui/download-file", { contents })));
      }, uris);
      const host = await openView(scene, html);
      const asked = await watchRequests(host);
      await host.click();
      await host.untilSaid(1);
      await sleep(800);
      const { reads } = await host.record();
      const read = reads.filter(({ server }) => server === "hostile").map(({ uri }) => uri);
      return [
        ...unlessTried(
          uris.every((uri) => read.includes(uri)),
          "the server was not asked for them",
        ),
        ...trap.caught().map((hit) => `attacker got ${hit}`),
        ...asked.filter((url) => uris.includes(url)).map((url) => `the page asked for ${url}`),
      ];
    },
  },
];

/** The problems of a saved file's name. */
function nameComplaints(name: string): string[] {
  const quoted = JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
  return [
    ...unless(!/[/\\:]/.test(name) && !name.startsWith("."), `${quoted} is a path or hidden`),
    ...unless(!RESERVED.test(name), `${quoted} is a device`),
    ...unless(!ACTIVE.test(name), `${quoted} is run by a double click`),
    ...unless(!HIDDEN.test(name), `${quoted} has characters that nobody sees`),
    ...unless([...name].length <= 124, `${quoted} has ${name.length} characters`),
  ];
}

/** Addresses that the host's page asks for from now on. */
async function watchRequests({ page }: HostScene): Promise<string[]> {
  const urls: string[] = [];
  page.on("request", (request) => urls.push(request.url()));
  return urls;
}
