import { describe, expect, it } from "vitest";
import type { AccessRequest } from "../../../src/policy/authorization/access-request.ts";
import { loadCedar } from "../../../src/policy/authorization/cedar.ts";
import { readPolicies } from "../../../src/policy/authorization/policy-files.ts";
import { checkLists } from "./listed-is-callable.ts";
import { authorizerOf, withFolder } from "./policies.ts";

const ANN = { tenant: "acme", user: "ann", party: "model", groups: ["eng"] } as const;

function call(
  name: string,
  given: unknown = {},
  more: Partial<AccessRequest> & { hints?: object } = {},
): AccessRequest {
  const { hints = {}, ...rest } = more;
  return {
    caller: ANN,
    server: "files",
    target: { action: "call", tool: { name, annotations: hints }, arguments: given },
    ...rest,
  };
}

const verdict = async (policies: string, request: AccessRequest): Promise<string> =>
  (await authorizerOf(policies)).decide(request).verdict;

const ENG = `permit(principal in Vitrine::Group::"acme/eng", action, resource in Vitrine::Server::"files");`;

describe("policies", () => {
  it("deny what no policy permits, and name the policy that decided", async () => {
    const authorizer = await authorizerOf(`@id("engineers") ${ENG}`);
    expect(authorizer.decide(call("read"))).toEqual({
      ...{ verdict: "allow", policies: ["engineers"] },
    });
    const bob = { ...ANN, user: "bob", groups: ["sales"] };
    expect(authorizer.decide(call("read", {}, { caller: bob }))).toMatchObject({
      ...{ verdict: "deny", policies: [] },
    });
    expect(authorizer.decide(call("read", {}, { server: "ledger" })).verdict).toBe("deny");
  });

  it("let a forbid win, and tell a model from a view", async () => {
    const policies = `${ENG}
      @id("no views") forbid(principal, action, resource) when { context.caller == "view" };
      @id("no deleting") forbid(principal, action, resource is Vitrine::Tool) when { resource.destructive };`;
    const authorizer = await authorizerOf(policies);
    const safe = { hints: { readOnlyHint: true } };
    expect(authorizer.decide(call("read", {}, safe)).verdict).toBe("allow");
    expect(authorizer.decide(call("drop")).policies).toEqual(["no deleting"]);
    const view = { ...ANN, party: "view" } as const;
    expect(authorizer.decide(call("read", {}, { ...safe, caller: view })).policies).toEqual([
      "no views",
    ]);
  });

  it("know the tenant of a group, in scopes and in conditions", async () => {
    const scope = `permit(principal in Vitrine::Tenant::"acme", action, resource);`;
    const condition = `permit(principal, action, resource)
      when { Vitrine::Group::"acme/eng" in Vitrine::Tenant::"acme" };`;
    for (const policies of [scope, condition]) {
      expect(await verdict(policies, call("read"))).toBe("allow");
    }
  });

  it("decide again about every caller and tool that differs, also after the same decision before", async () => {
    const policies = `permit(principal in Vitrine::Group::"acme/eng", action, resource is Vitrine::Tool)
        when { resource.readOnly && resource.approved && principal.issuer == "https://a" };
      forbid(principal, action, resource) when { context has view && context.view == "ui://bad" };
      forbid(principal, action == Vitrine::Action::"call", resource == Vitrine::Tool::"other/pay")
        when { context.input has amount && context.input.amount > 5 };`;
    const authorizer = await authorizerOf(policies);
    const caller = { ...ANN, issuer: "https://a" };
    const asked = (
      given: Partial<typeof caller> & { ticket?: { resource: string } } = {},
      target: { hints?: object; isApproved?: boolean } = {},
      server = "files",
    ): string => {
      const { hints = { readOnlyHint: true }, isApproved = true } = target;
      const tool = { name: "read", annotations: hints };
      return authorizer.decide({
        caller: { ...caller, ...given },
        server,
        target: { action: "call", tool, isApproved: () => isApproved },
      }).verdict;
    };
    for (let round = 0; round < 2; round++) {
      expect(asked()).toBe("allow");
      expect(asked({ groups: [] as never })).toBe("deny");
      expect(asked({ user: "bob" as never })).toBe("allow");
      expect(asked({ tenant: "other" as never })).toBe("deny");
      expect(asked({ issuer: "https://b" })).toBe("deny");
      expect(asked({ ticket: { resource: "ui://bad" } })).toBe("deny");
      expect(asked({}, { hints: {} })).toBe("deny");
      expect(asked({}, { isApproved: false })).toBe("deny");
    }
    const pay = (amount: number): string =>
      authorizer.decide({
        ...{ caller, server: "other" },
        target: {
          ...{ action: "call", arguments: { amount }, isApproved: () => true },
          tool: { name: "pay", annotations: { readOnlyHint: true } },
        },
      }).verdict;
    expect([pay(5), pay(6), pay(5)]).toEqual(["allow", "deny", "allow"]);
  });

  it("read arguments", async () => {
    const policies = `permit(principal, action == Vitrine::Action::"call", resource)
      when { context.input has amount && context.input.amount <= 100 };`;
    expect(await verdict(policies, call("pay", { amount: 100 }))).toBe("allow");
    expect(await verdict(policies, call("pay", { amount: 101 }))).toBe("deny");
    expect(await verdict(policies, call("pay", {}))).toBe("deny");
  });

  it("deny if a forbid can't be evaluated for these arguments", async () => {
    const policies = `${ENG} forbid(principal, action, resource)
      when { context has input && context.input.amount > 100 };`;
    expect(await verdict(policies, call("pay", { amount: 5 }))).toBe("allow");
    for (const amount of [100.5, "200", { __extn: { fn: "decimal", arg: "1.0" } }, undefined]) {
      expect(await verdict(policies, call("pay", { amount })), `${amount}`).toBe("deny");
    }
  });

  it("don't let arguments become entities", async () => {
    const policies = `${ENG} forbid(principal, action, resource)
      when { context has input && context.input has owner && context.input.owner != principal };`;
    const forged = { owner: { __entity: { type: "Vitrine::User", id: "acme/ann" } } };
    expect(await verdict(policies, call("pay", forged))).toBe("deny");
  });

  it("keep tenants and names with slashes apart", async () => {
    const policies = `permit(principal == Vitrine::User::"a/b/c", action, resource);`;
    const inA = { ...ANN, tenant: "a", user: "b/c" };
    const inAB = { ...ANN, tenant: "a/b", user: "c" };
    expect(await verdict(policies, call("read", {}, { caller: inA }))).toBe("allow");
    expect(await verdict(policies, call("read", {}, { caller: inAB }))).toBe("deny");
  });

  it("want approval unless another permit allows the call without it", async () => {
    const policies = `@approve("user") ${ENG}
      permit(principal, action, resource is Vitrine::Tool) when { resource.readOnly };`;
    const authorizer = await authorizerOf(policies);
    expect(authorizer.decide(call("write")).approval).toBe("user");
    const safe = call("read", {}, { hints: { readOnlyHint: true } });
    expect(authorizer.decide(safe).approval).toBeUndefined();
    const both = await authorizerOf(`@approve("user") ${ENG} @approve("admin") ${ENG}`);
    expect(both.decide(call("write")).approval).toBe("user");
  });

  it("list the servers that some permit is about", async () => {
    const policies = `${ENG}
      permit(principal, action, resource == Vitrine::Tool::"ledger/sum") when { resource.readOnly };
      permit(principal, action, resource in Vitrine::Server::"vault");
      forbid(principal, action, resource in Vitrine::Server::"vault");`;
    const authorizer = await authorizerOf(policies);
    const seen = ["files", "ledger", "vault", "other"].filter((id) => authorizer.maySee(ANN, id));
    expect(seen).toEqual(["files", "ledger"]);
  });
});

describe("a folder of policies", () => {
  const problemOf = async (files: Record<string, string>): Promise<string> => {
    const cedar = await loadCedar();
    return withFolder(files, (folder) =>
      readPolicies(cedar, folder).then(
        () => "",
        (error: Error) => error.message,
      ),
    );
  };

  it("is rejected with file, line and reason", async () => {
    expect(await problemOf({})).toContain("no file that ends in .cedar");
    expect(await problemOf({ "a.cedar": "permit(principal action);" })).toContain("a.cedar: ");
    expect(
      await problemOf({
        "a.cedar": `${ENG}\n\npermit(principal, action, resource is Vitrine::Tool)\n  when { resource.readonly };`,
      }),
    ).toContain("a.cedar:3: ");
    expect(
      await problemOf({ "a.cedar": `@id("x") ${ENG}`, "b.cedar": `@id("x") ${ENG}` }),
    ).toContain('Two policies have the id "x"');
    expect(await problemOf({ "a.cedar": `@approve("boss") ${ENG}` })).toContain('@approve("user")');
    const forbid = `@approve("user") forbid(principal, action, resource);`;
    expect(await problemOf({ "a.cedar": forbid })).toContain("@approve has no effect on a forbid");
  });
});

describe("lists and calls", () => {
  const runs = Number(process.env.POLICY_RUNS ?? 200);

  it(`agree for ${runs} random policies and callers`, { timeout: 1_000_000 }, () =>
    checkLists(runs),
  );

  it("list a tool that some arguments may call, and hide one that none may", async () => {
    const authorizer = await authorizerOf(`
      permit(principal, action == Vitrine::Action::"call", resource == Vitrine::Tool::"files/pay")
        when { context.input.amount < 10 };
      forbid(principal, action == Vitrine::Action::"call", resource)
        when { context.input has force && context.input.force };`);
    expect(authorizer.mayAllow(call("pay"))).toBe(true);
    expect(authorizer.mayAllow(call("drop"))).toBe(false);
    expect(authorizer.decide(call("pay", { amount: 3 })).verdict).toBe("allow");
    expect(authorizer.decide(call("pay", { amount: 3, force: true })).verdict).toBe("deny");
  });
});
