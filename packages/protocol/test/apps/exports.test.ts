import { expect, test } from "vitest";
import * as plain from "../../src/apps/constants.ts";
import * as apps from "../../src/apps/index.ts";
import * as methodNames from "../../src/apps/method-names.ts";

const constants = { ...plain, ...methodNames };

// Adding or removing a public name has to be confirmed here.
test("the public values are these", () => {
  const names = Object.keys(apps).filter((name) => !Object.hasOwn(constants, name));
  expect(names.sort()).toEqual([
    "LIMITS",
    "METHODS",
    "STATE_EXTENSION",
    "STYLE_VARIABLES",
    "clampSize",
    "copyJson",
    "decideLink",
    "decideMethod",
    "decideSize",
    "decideToolCall",
    "describeMismatch",
    "downloadName",
    "findMethod",
    "isAppMimeType",
    "isPrivateHost",
    "isStyleVariable",
    "isVisibleTo",
    "limitsFor",
    "toolResourceUri",
    "toolVisibility",
    "validateMeta",
    "validateNotification",
    "validateRequest",
    "validateResult",
  ]);
});

test("every constant is public", () => {
  expect(apps).toMatchObject({ ...constants });
});
