import { expect, it } from "vitest";
import { createProtectedResources } from "../../src/identity/protected-resources.ts";

const OWN = "https://login.example";
const PARTNER = "https://id.partner.example";
const resources = createProtectedResources({
  publicUrl: "https://gateway.example",
  issuers: [OWN, PARTNER],
  scopes: ["mcp"],
  server: (id) => (id === "ledger" ? { issuers: [OWN], scopes: ["ledger"] } : undefined),
});
const user = { tenant: "acme", user: "ann", scopes: ["mcp", "ledger"] };

it("keeps the users of an issuer out of a server that doesn't name it", () => {
  expect(resources.check({ ...user, issuer: OWN }, "ledger")).toBeUndefined();
  expect(resources.check({ ...user, issuer: PARTNER }, "weather")).toBeUndefined();
  expect(resources.check({ ...user, issuer: PARTNER }, "ledger")?.code).toBe("unauthenticated");
});

it("wants the scopes of the gateway and of the server", () => {
  const check = (...scopes: string[]) =>
    resources.check({ ...user, scopes, issuer: OWN }, "ledger")?.code;
  expect(check("mcp")).toBe("insufficient-scope");
  expect(check("ledger")).toBe("insufficient-scope");
  expect(check("ledger", "mcp")).toBeUndefined();
});
