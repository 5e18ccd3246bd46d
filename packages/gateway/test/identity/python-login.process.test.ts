// The official Python client logs in from an address alone, at a real authorization server (O2).

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { has, provide } from "../interop/cache.ts";
import { pythonRecipe } from "../interop/makers.ts";
import { logIn, REGISTERED, startAuthorizationServer } from "./authorization-server.ts";
import { openLoginGateway } from "./login-stage.ts";

const PROGRAM = fileURLToPath(new URL("./python/log_in.py", import.meta.url));
const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

interface Session {
  /** The scopes of each log-in. */
  logins: string[];
  tools: string[];
  called: string[];
}

/** Runs the client until it ends. */
async function run(
  folder: string,
  url: string,
  {
    user = "ann",
    client = "",
    call = [],
  }: { user?: string; client?: string; call?: string[] } = {},
): Promise<Session> {
  const python = join(folder, "venv/bin/python");
  const child = spawn(python, [PROGRAM, url, client, ...call], { stdio: "pipe" });
  const complaints: string[] = [];
  child.stderr.setEncoding("utf8").on("data", (text: string) => complaints.push(text));
  const ended = once(child, "exit");
  const session: Session = { logins: [], tools: [], called: [] };
  for await (const line of createInterface({ input: child.stdout })) {
    const said = JSON.parse(line) as { authorize?: string; tools?: string[]; called?: string };
    if (said.authorize !== undefined) {
      const address = new URL(said.authorize);
      // Version 2 also asks for a refresh token.
      const scope = address.searchParams.get("scope")?.replace(" offline_access", "");
      session.logins.push(`${address.origin} ${scope}`);
      child.stdin.write(`${await logIn(address, user)}\n`);
    }
    if (said.tools) session.tools = said.tools;
    if (said.called !== undefined) session.called.push(said.called);
  }
  const [code] = await ended;
  expect([code, complaints.join("").slice(-2000)]).toEqual([0, expect.anything()]);
  return session;
}

describe.runIf(has("python3"))("the official Python client", () => {
  let folders: Record<string, string>;
  beforeAll(() => {
    folders = Object.fromEntries(
      ["2.3.0", "1.30.0"].map((version) => {
        const made = provide(pythonRecipe(`mcp==${version}`));
        if ("problem" in made) throw new Error(made.problem);
        return [version, made.folder];
      }),
    );
  }, 300_000);

  it.each(["2.3.0", "1.30.0"])(
    "%s logs in to one server and to all of them, with the scopes that a call needs",
    async (version) => {
      const authority = await startAuthorizationServer({ scopes: "mcp vault" });
      open.push(authority);
      const { publicUrl } = await openLoginGateway(open, [authority], {
        settings: { scopes: ["vault"] },
      });
      const folder = folders[version] as string;
      const one = await run(folder, `${publicUrl}/servers/station/mcp`, { call: ["forecast"] });
      expect(one.logins).toEqual([`${authority.issuer} mcp`]);
      expect(one.called).toEqual(["forecast"]);
      expect(authority.requests).toContain("POST /reg");
      const all = await run(folder, `${publicUrl}/mcp`, {
        client: REGISTERED,
        call: ["station__forecast", "vault__forecast"],
      });
      expect(all.tools).toContain("vault__forecast");
      expect(all.called).toEqual(["station__forecast", "vault__forecast"]);
      // The second log-in is the step up for the vault.
      expect(all.logins).toEqual([`${authority.issuer} mcp`, `${authority.issuer} mcp vault`]);
    },
    60_000,
  );

  it("uses the issuer of each server", async () => {
    const [first, second] = [await startAuthorizationServer(), await startAuthorizationServer()];
    open.push(first, second);
    const { publicUrl } = await openLoginGateway(open, [first, second], {
      settings: { issuers: [second.issuer] },
    });
    const folder = folders["2.3.0"] as string;
    const vault = await run(folder, `${publicUrl}/servers/vault/mcp`, { call: ["forecast"] });
    expect(vault.logins).toEqual([`${second.issuer} mcp`]);
    const all = await run(folder, `${publicUrl}/mcp`, { call: ["station__forecast"] });
    expect(all.logins).toEqual([`${first.issuer} mcp`]);
    expect(all.tools.filter((name) => name.startsWith("vault__"))).toEqual([]);
  }, 60_000);
});
