import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type VerifyReport, verifySandbox } from "../../src/sandbox/verify.ts";
import { type Deployed, deploy, KEY, type Setup, setHeader } from "./broken-proxy.ts";

// A domain with real certificates. No name server knows it, so its names are resolved here.
vi.setConfig({ testTimeout: 60_000 });

const NAME = "usercontent.example";
const HOST = "https://chat.example";
let folder: string;
let wide: { key: string; cert: string };
let narrow: { key: string; cert: string };
const opened: Deployed[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-verify-"));
  wide = await certificate("wide", `DNS:*.${NAME}`);
  narrow = await certificate("narrow", `DNS:proxy.${NAME}`);
});
afterEach(() => {
  for (const deployed of opened.splice(0)) deployed.close();
});
afterAll(() => rm(folder, { recursive: true }));

async function certificate(file: string, names: string): Promise<{ key: string; cert: string }> {
  const [key, cert] = [join(folder, `${file}.key`), join(folder, `${file}.pem`)];
  const line = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert];
  const about = ["-days", "2", "-subj", "/CN=test", "-addext", `subjectAltName=${names}`];
  execFileSync("openssl", [...line, ...about], { stdio: "ignore" });
  return { key: await readFile(key, "utf8"), cert: await readFile(cert, "utf8") };
}

interface Trial extends Setup {
  certificate?: { key: string; cert: string };
  trusts?: boolean;
  resolve?: (name: string) => string | undefined;
  host?: string;
}

async function verify(trial: Trial = {}): Promise<VerifyReport> {
  const { certificate = wide, trusts = true, host = HOST } = trial;
  const deployed = await deploy({
    hosts: [HOST],
    domain: { name: NAME, ...certificate },
    ...trial,
  });
  opened.push(deployed);
  const resolve = (name: string): string | undefined =>
    name.endsWith(`.${NAME}`) ? "127.0.0.1" : undefined;
  return verifySandbox(`https://${NAME}:${deployed.port}`, {
    host,
    key: KEY,
    resolve: trial.resolve ?? resolve,
    ...(trusts && { ca: certificate.cert }),
  });
}

const codes = ({ problems }: VerifyReport): string[] => problems.map(({ code }) => code).sort();

test("a sound domain only warns that it isn't a public suffix", async () => {
  const report = await verify();
  expect(report).toMatchObject({ views: 6, problems: [{ code: "not-a-public-suffix" }] });
  expect(report.problems[0]?.severity).toBe("warning");
});

test("a certificate that nobody trusts ends the check", async () => {
  const report = await verify({ trusts: false });
  expect(codes(report)).toEqual(["certificate", "not-a-public-suffix"]);
});

test("a certificate without the names of views is a problem of the wildcard", async () => {
  const report = await verify({ certificate: narrow });
  expect(report.problems.find(({ code }) => code === "wildcard")).toMatchObject({
    cause: expect.stringContaining("The certificate for"),
    remedy: expect.stringContaining(`Install a certificate for *.${NAME}`),
  });
});

test("names of views without an address are a problem of the wildcard", async () => {
  const resolve = (name: string): string | undefined =>
    name === `proxy.${NAME}` ? "127.0.0.1" : undefined;
  const report = await verify({ resolve });
  expect(report.problems.find(({ code }) => code === "wildcard")).toMatchObject({
    cause: expect.stringContaining("has no address in the DNS"),
    remedy: expect.stringContaining(`Add a wildcard record for *.${NAME}`),
  });
});

test("a name that nobody knows ends the check", async () => {
  expect(codes(await verify({ resolve: () => undefined }))).toContain("unknown-name");
});

test("a proxy that drops cookies, either way, is found", async () => {
  const asked = await verify({
    ask: (headers) => {
      delete headers.cookie;
    },
  });
  const answered = await verify({ answer: (passing) => setHeader(passing, "clear-site-data") });
  for (const report of [asked, answered]) expect(codes(report)).toContain("cookies-dropped");
});

test("registration without a credential is a warning", async () => {
  const deployed = await deploy({
    hosts: [HOST],
    domain: { name: NAME, ...wide },
    instances: [{ registration: "anonymous" }],
  });
  opened.push(deployed);
  const report = await verifySandbox(`https://proxy.${NAME}:${deployed.port}`, {
    host: HOST,
    resolve: (name) => (name.endsWith(`.${NAME}`) ? "127.0.0.1" : undefined),
    ca: wide.cert,
  });
  expect(report.problems).toMatchObject([
    { code: "not-a-public-suffix", severity: "warning" },
    { code: "anonymous", severity: "warning" },
  ]);
});

test.each([
  ["the same origin", `https://proxy.${NAME}`, `https://proxy.${NAME}`, "layout", "SBX-01"],
  ["the same site", `https://views.chat.example`, HOST, "layout", "one site"],
  ["an unencrypted public name", `http://${NAME}`, HOST, "insecure", "isn't encrypted"],
  ["an unencrypted host", `https://${NAME}`, "http://chat.example", "insecure", "isn't encrypted"],
  ["an IP address", "https://203.0.113.7", HOST, "layout", "IP address"],
])("%s is a problem of the addresses", async (_what, address, host, code, words) => {
  const report = await verifySandbox(address, { host, resolve: () => undefined });
  expect(report.problems[0]).toMatchObject({ code, cause: expect.stringContaining(words) });
  expect(report.problems[0]?.remedy).toMatch(/^(?:Use|Serve) /);
});
