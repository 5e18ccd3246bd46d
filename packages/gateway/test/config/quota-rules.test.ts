import { expect, it } from "vitest";
import { checkQuotas } from "../../src/config/quota-rules.ts";
import { pathText } from "../../src/config/schema.ts";

it("reports quotas that limit nothing or name things without their tenant or server", () => {
  const problems: string[] = [];
  checkQuotas(
    [
      { name: "a", user: "*", group: "acme/eng", tool: "*", perDay: 1 },
      { name: "a", user: "ann", perDay: 1 },
      { name: "b", group: "eng", tool: "drop", atOnce: 1 },
      { name: "c" },
    ],
    (at, message) => problems.push(`${pathText(at)}: ${message}`),
  );
  expect(problems).toEqual([
    'limits.quotas[1].name: Two quotas have the name "a".',
    'limits.quotas[1].user: "ann" has no tenant. Write it as acme/ann.',
    'limits.quotas[2].group: "eng" has no tenant. Write it as acme/eng.',
    "limits.quotas[2].tool: It needs the name of its server. Set server too.",
    "limits.quotas[3]: It limits nothing. Set perMinute, perDay or atOnce.",
  ]);
});
