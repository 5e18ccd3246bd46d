import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runCommand } from "../../src/service/command-line.ts";
import { openServiceStage, type ServiceStage } from "./stage.ts";

let folder: string;
let stage: ServiceStage | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-policy-"));
  await mkdir(join(folder, "policies"));
  await write("policies/eng.cedar", POLICIES);
});
afterEach(async () => {
  await stage?.[Symbol.asyncDispose]();
  stage = undefined;
  await rm(folder, { recursive: true });
});

const POLICIES = `// Engineers read, and write with approval.
@id("engineers-read")
permit(principal in Vitrine::Group::"acme/eng", action, resource is Vitrine::Tool)
  when { resource.readOnly };

@id("engineers-write")
@approve("user")
permit(principal in Vitrine::Group::"acme/eng", action, resource in Vitrine::Server::"files");

@id("no-root")
forbid(principal, action == Vitrine::Action::"call", resource)
  when { context.input has path && context.input.path like "/root*" };
`;

const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);

async function run(...argv: string[]): Promise<{ code: number | undefined; text: string }> {
  let text = "";
  const print = (more: string): void => {
    text += more;
  };
  const code = await runCommand([...argv, "--policies", join(folder, "policies")], {
    ...{ environment: {}, out: print, err: print, onStart: () => {} },
    signal: new AbortController().signal,
  });
  return { code, text };
}

it("explains which policy decides about a call", async () => {
  const call = ["policy", "explain", "--user", "acme/ann", "--groups", "eng", "--server", "files"];
  expect(await run(...call, "--tool", "read", "--hints", "readOnly")).toEqual({
    code: 0,
    text: "allow\n  permit  engineers-read  eng.cedar:2\n  permit  engineers-write  eng.cedar:6\n",
  });
  expect(await run(...call, "--tool", "write")).toEqual({
    code: 0,
    text: "approve\n  The user has to approve each call.\n  permit  engineers-write  eng.cedar:6\n",
  });
  const denied = await run(...call, "--tool", "write", "--arguments", '{"path":"/root/.ssh"}');
  expect(denied).toEqual({ code: 1, text: "deny\n  forbid  no-root  eng.cedar:10\n" });
  const other = await run(
    "policy",
    "explain",
    "--user",
    "acme/bob",
    "--server",
    "a",
    "--tool",
    "b",
  );
  expect(other.text).toBe("deny\n  No policy permits it.\n");
});

it("runs the cases of a file", async () => {
  await write(
    "cases.yaml",
    `- { user: acme/ann, groups: [eng], server: files, tool: write, expect: approve }
- { name: another tenant, user: globex/eve, server: files, tool: write, expect: allow }
`,
  );
  expect(await run("policy", "test", join(folder, "cases.yaml"))).toEqual({
    code: 1,
    text: `ok      acme/ann files/write
FAILED  another tenant: deny instead of allow
1 of 2 cases have the expected outcome.
`,
  });
});

it("reports every problem of the policies with its line", async () => {
  await write(
    "policies/bad.cedar",
    "\npermit(principal, action, resource) when { resource.color };",
  );
  const { code, text } = await run("policy", "check");
  expect(code).toBe(2);
  expect(text).toContain("bad.cedar:2: ");
});

it("applies changed policies to a running gateway, and keeps the old ones if they are wrong", async () => {
  await write("policies/eng.cedar", "permit(principal, action, resource);");
  stage = await openServiceStage({ policy: { folder: join(folder, "policies") } });
  const names = async (): Promise<number> =>
    (await stage?.post("tools/list"))?.body.result.tools.length;
  expect(await names()).toBeGreaterThan(0);
  await write("policies/eng.cedar", "nonsense");
  const messages = (): unknown[] => stage?.log.map(({ msg }) => msg) ?? [];
  await expect.poll(messages, { timeout: 10_000 }).toContain("policies not reloaded");
  expect(await names()).toBeGreaterThan(0);
  await write("policies/eng.cedar", POLICIES);
  await expect.poll(messages, { timeout: 10_000 }).toContain("policies reloaded");
  expect(await names()).toBe(0);
});
