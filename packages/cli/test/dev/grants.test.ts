import { expect, test } from "vitest";
import { readGrants } from "../../src/dev/grants.ts";

test("without --grant nothing is granted", () => {
  expect(readGrants([])).toEqual({});
});

test("code, devices and domains become what the Sandbox takes", () => {
  expect(readGrants(["microphone", "unsafe-eval", "https://*.example.com"])).toEqual({
    unsafeEval: true,
    permissions: ["microphone"],
    approved: ["connectDomains", "resourceDomains", "frameDomains"].map((list) => ({
      list,
      source: "https://*.example.com",
    })),
  });
});

test.each(["eval", "Microphone", "example.com", "http://a.example", ""])(
  "--grant %j is refused with what there is",
  (word) => {
    expect(() => readGrants([word])).toThrow(/is unknown\. Choose from: unsafe-eval, camera/);
  },
);
