import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { downloadName } from "../../src/apps/download-name.ts";

describe("the name of a download", () => {
  // HST-72
  test.each([
    ["file:///a/b%20c.json", "b c.json"],
    ["file:///report.pdf", "report.pdf"],
    ["https://example.com/a/b/data.csv?x=1#y", "data.csv"],
    ["ui://server/export/Überblick%202026.xlsx", "Überblick 2026.xlsx"],
    ["resource://数据/报告.txt", "报告.txt"],
    ["file:///folder/", "folder"],
    ["notes.md", "notes.md"],
    ["file:///report%20(1).pdf", "report (1).pdf"],
    ["urn:example:thing", "urn_example_thing"],
    ["file:///100%.txt", "100_.txt"],
  ])("is the last segment of the URI: %s", (uri, name) => {
    expect(downloadName(uri)).toBe(name);
  });

  // HST-73
  test.each([
    ["file:///../../.bashrc", "bashrc"],
    ["file:///a/..%2f..%2fetc%2fpasswd", "passwd"],
    ["file:///a/..%5c..%5cboot.ini", "boot.ini.txt"],
    ["file:///a/%2e%2e", "download"],
    ["file:///a/..", "download"],
    ["file:///%00", "download"],
    ["file:///a%00.txt", "a.txt"],
    ["file:///a%0d%0ab.txt", "ab.txt"],
    ["file:///cod%E2%80%AEgpj.txt", "codgpj.txt"],
    ["file:///a%E2%80%8Bb.txt", "ab.txt"],
    ["file:///C%3A%5Cwindows%5Csystem.txt", "system.txt"],
    ["file:///a.txt%3Astream", "a.txt_stream.txt"],
    ["file:///%24(rm%20-rf).txt", "_(rm -rf).txt"],
    ["file:///a%7Cb%3Ec%22.txt", "a_b_c_.txt"],
    ["file:///.hidden", "hidden"],
    ["file:///%20%20.x.%20.", "x"],
    ["file:///con", "_con"],
    ["file:///CON.txt", "_CON.txt"],
    ["file:///lpt1.log", "_lpt1.log"],
    ["file:///console.log", "console.log"],
    ["", "download"],
    ["///", "download"],
    ["?x", "download"],
  ])("means nothing to a file system: %s", (uri, name) => {
    expect(downloadName(uri)).toBe(name);
  });

  test.each([
    ["file:///setup.exe", "setup.exe.txt"],
    ["file:///SETUP.EXE", "SETUP.EXE.txt"],
    ["file:///invoice.pdf.exe", "invoice.pdf.exe.txt"],
    ["file:///a.exe.", "a.exe.txt"],
    ["file:///a.exe%20", "a.exe.txt"],
    ["file:///page.html", "page.html.txt"],
    ["file:///logo.svg", "logo.svg.txt"],
    ["file:///link.lnk", "link.lnk.txt"],
    ["file:///run.sh", "run.sh.txt"],
    ["file:///a.command", "a.command.txt"],
    ["file:///exe", "exe"],
    ["file:///exe.csv", "exe.csv"],
  ])("runs nothing when opened: %s", (uri, name) => {
    expect(downloadName(uri)).toBe(name);
  });

  test("is cut in the middle when it is long", () => {
    const name = downloadName(`file:///${"a".repeat(500)}.json`);
    expect(name).toHaveLength(120);
    expect(name.endsWith("a….json")).toBe(true);
    expect(downloadName(`file:///${"a".repeat(500)}`)).toHaveLength(120);
    expect(downloadName(`file:///a.${"b".repeat(500)}`).length).toBeLessThanOrEqual(124);
  });

  const DANGEROUS = [
    ..."exe rdp msc jnlp xll xlsm docm iqy slk vhdx py pyw terminal mobileconfig scpt fileloc".split(
      " ",
    ),
    ..."inetloc diagcab application appref-ms settingcontent-ms search-ms theme appinstaller".split(
      " ",
    ),
    ..."msixbundle appx ws wsc sct vb ps1xml tool action crx xpi one svgz xht iso made-up".split(
      " ",
    ),
  ];
  test.each(DANGEROUS)(
    "S45: has no type that may run, mount or configure something: %s",
    (type) => {
      expect(downloadName(`file:///x.${type}`)).toBe(`x.${type}.txt`);
      expect(downloadName(`file:///x.${type.toUpperCase()}`)).toBe(`x.${type.toUpperCase()}.txt`);
    },
  );

  test("is harmless whatever the URI", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.webUrl(), fc.string()), (uri) => {
        const name = downloadName(uri);
        expect(name).toMatch(
          /^[\p{L}\p{M}\p{N}_()-](?:[\p{L}\p{M}\p{N} ._()…-]*[\p{L}\p{M}\p{N}_()-])?$/u,
        );
        expect([...name].length).toBeLessThanOrEqual(124);
        // Naming is stable: a clean name stays what it is.
        expect(downloadName(encodeURIComponent(name)).replace(/(\.txt)+$/, "")).toBe(
          name.replace(/(\.txt)+$/, ""),
        );
      }),
      { seed: 1865, numRuns: 3000 },
    );
  });
});
