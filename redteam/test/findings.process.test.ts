import { expect, test } from "vitest";
import { BROWSER_FINDINGS, proofsOf } from "../findings.ts";

test.each(BROWSER_FINDINGS)(
  "%s is named by a check or a test, and a mutation shows that it can fail",
  (finding) => {
    const { shownBy, mutations } = proofsOf(finding);
    expect(shownBy, "checks or tests with the number in their title").not.toEqual([]);
    expect(mutations, "mutations that these checks or tests notice").not.toEqual([]);
  },
);
