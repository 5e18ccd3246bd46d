import { setTimeout as sleep } from "node:timers/promises";
import { createSandbox, type OriginsConfig } from "@vitrine/sandbox";
import { within } from "../stage/page-steps.ts";
import { scriptedView } from "../stage/view-document.ts";
import { type Check, hasSaid, spoken, unless, unlessTried } from "./check.ts";
import { register } from "./registration.ts";

const SETTLE = 600;

/** What a set-up grants, and set-ups that must not run at all. */
export const SET_UP_CHECKS: readonly Check[] = [
  {
    id: "features",
    title: "no browser feature is open but those granted, and unknown ones are ignored",
    entries: [27, 107],
    stages: ["tier-1", "tier-2", "tier-3"],
    quick: true,
    async run(scene) {
      const html = scriptedView(() => {
        interface WithPolicy {
          featurePolicy: { allowedFeatures(): string[] };
        }
        say((document as unknown as WithPolicy).featurePolicy.allowedFeatures());
      });
      const permissions = { clipboardWrite: {}, evil: {}, usb: {}, "camera *; payment": {} };
      const host = await scene.open([
        { name: "none", server: "features-a", html },
        { name: "some", server: "features-b", html, permissions },
      ]);
      const log = await host.until(
        (lines) => spoken(lines, "none").length > 0 && spoken(lines, "some").length > 0,
      );
      const none = (spoken(log, "none")[0] ?? ["no report"]) as string[];
      const some = (spoken(log, "some")[0] ?? ["no report"]) as string[];
      const beside = some.filter((feature) => feature !== "clipboard-write");
      const opaque = scene.stage.name === "tier-3";
      return [
        ...unless(none.length === 0, `open without a grant: ${none.join(" ")}`),
        ...unless(beside.length === 0, `open without a grant: ${beside.join(" ")}`),
        ...unless(opaque || some.includes("clipboard-write"), "the granted feature is not open"),
      ];
    },
  },
  {
    id: "unsafe-set-ups",
    title: "a set-up that would share cookies, site or origin with the host does not start",
    entries: [58, 59, 71],
    stages: ["tier-1"],
    async run() {
      const key = "k".repeat(32);
      const setUps = [
        { tier: "domain", hosts: ["https://chat.example"], domain: "https://chat.example", key },
        { tier: "domain", hosts: ["https://chat.example"], domain: "https://x.chat.example", key },
        { tier: "domain", hosts: ["https://a.corp.com"], domain: "https://b.corp.com", key },
        { tier: "domain", hosts: ["http://localhost:80"], domain: "http://localhost:81", key },
        { tier: "domain", hosts: ["https://chat.example"], domain: "http://views.com", key },
        { tier: "domain", hosts: ["https://chat.example"], domain: "https://127.0.0.1", key },
        { tier: "localhost", hosts: ["http://proxy.localhost:1"], port: 1, key },
        {
          tier: "single-origin",
          hosts: ["https://chat.example"],
          sandbox: "allow-scripts allow-same-origin",
          key,
        },
        { tier: "domain", hosts: [], domain: "https://views.com", key },
      ];
      const complaints: string[] = [];
      for (const setUp of setUps) {
        try {
          createSandbox({ origins: setUp as OriginsConfig });
          complaints.push(`started: ${JSON.stringify(setUp)}`);
        } catch {
          // Refused, as it must be.
        }
      }
      return complaints;
    },
  },
  {
    id: "self-test",
    title: "the page refuses to run in a frame that takes its origin away",
    entries: [71],
    stages: ["tier-1", "tier-2"],
    quick: true,
    async run(scene) {
      const html = scriptedView(() => say("view runs"));
      const host = await scene.open([{ name: "view", server: "downgraded", html }], {
        outerSandbox: "allow-scripts allow-forms",
      });
      await sleep(SETTLE * 2);
      const ports = await within(
        host.page.evaluate(() => Object.keys(window.redteam.ports).length),
        2000,
      );
      const frames = host.page.frames().length;
      return [
        ...unlessTried(ports !== undefined, "the page did not answer"),
        ...unless(!ports, "it gave the host a port"),
        ...unless(frames <= 2, "it mounted the view"),
        ...unless(!hasSaid(await host.log(), "view runs"), "a message of the view arrived"),
      ];
    },
  },
  {
    id: "opaque-by-header",
    title:
      "in a frame whose host forgot the attribute, a view on the host's origin is still cross-origin",
    entries: [70],
    stages: ["tier-3"],
    quick: true,
    async run(scene) {
      const { viewUrl } = await register(scene, "<title>view</title>");
      const { page } = await scene.open([]);
      await page.evaluate((url) => {
        const frame = document.createElement("iframe");
        frame.src = url;
        document.body.append(frame);
      }, viewUrl);
      await sleep(SETTLE);
      const frame = page.frames().find((candidate) => candidate.url() === viewUrl);
      const origin =
        frame &&
        (await within(
          frame.evaluate(() => self.origin),
          2000,
        ));
      return [
        ...unlessTried(origin, "the view was not loaded"),
        ...unless(origin === undefined || origin === "null", `its origin is ${origin}`),
      ];
    },
  },
  {
    id: "huge-documents",
    title: "a document beyond the limit is refused",
    entries: [103],
    stages: ["tier-1"],
    async run(scene) {
      const refused = await register(scene, "x".repeat(6 * 2 ** 20)).then(
        () => false,
        () => true,
      );
      return unless(refused, "6 MiB were accepted");
    },
  },
];
