// Builds the gateway's container image from a clean clone of HEAD, starts it as its own user with an access policy,
// and runs its health check and a decision of the policy (O4). Buildah does it all, without a daemon and without a
// container runtime.

import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeDebianBase } from "./debian-base.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PUBLISHED_BASE = "docker.io/library/node:24-bookworm-slim";
const IMAGE = "localhost/vitrine-gateway";
const STARTED_WITHIN = 60_000;
const POLICY = `@id("engineers") permit(principal in Vitrine::Group::"acme/eng", action, resource);\n`;
const EXPLAIN = [
  ...["vitrine", "gateway", "policy", "explain", "--config", "/etc/vitrine-gateway/gateway.yaml"],
  ...["--user", "acme/ann", "--groups", "eng", "--server", "example", "--tool", "read"],
];

const folder = await mkdtemp(join(tmpdir(), "vitrine-image-"));
// No kernel features beyond chroot and plain folders, so that it also runs inside a container.
const storage = [`--root=${folder}/storage`, `--runroot=${folder}/run`, "--storage-driver=vfs"];
const isolation = "--isolation=chroot";

function buildah(args, options = {}) {
  return execFileSync("buildah", [...storage, ...args], { encoding: "utf8", ...options });
}

/** The published base image, or one of this machine's own packages where no registry can be reached. */
async function chooseBase() {
  try {
    buildah(["pull", "--quiet", PUBLISHED_BASE], { stdio: "pipe", timeout: 300_000 });
    return PUBLISHED_BASE;
  } catch {
    console.log(`image: ${PUBLISHED_BASE} can't be pulled; using Debian packages of this machine`);
  }
  const files = join(folder, "base");
  await mkdir(files);
  await writeDebianBase(files);
  await writeFile(join(folder, "Base"), "FROM scratch\nCOPY . /\n");
  const name = "localhost/debian-base";
  buildah(["build", "--quiet", isolation, "--tag", name, "--file", join(folder, "Base"), files]);
  await rm(files, { recursive: true });
  return name;
}

/** Lets npm inside the build use this machine's registry, cache and certificates. */
function npmSettings() {
  const setting = (name) =>
    execFileSync("npm", ["config", "get", name], { encoding: "utf8", stdio: "pipe" }).trim();
  const userConfig = setting("userconfig");
  const certificates = process.env.NODE_EXTRA_CA_CERTS;
  return [
    `--volume=${setting("cache")}:/root/.npm`,
    ...(existsSync(userConfig) ? [`--volume=${userConfig}:/root/.npmrc:ro`] : []),
    ...(certificates
      ? [
          `--volume=${certificates}:/tmp/certificates.pem:ro`,
          "--build-arg=NODE_EXTRA_CA_CERTS=/tmp/certificates.pem",
        ]
      : []),
  ];
}

async function build() {
  const source = join(folder, "source");
  execFileSync("git", ["clone", "--quiet", "--depth=1", `file://${ROOT}`, source]);
  const base = await chooseBase();
  const file = join(source, "packages/gateway/Dockerfile");
  // HEALTHCHECK is part of Docker's format only.
  const flags = ["--format=docker", "--layers=false", "--network=host", isolation];
  const named = [`--tag=${IMAGE}`, `--build-arg=BASE=${base}`, `--file=${file}`];
  buildah(["build", ...flags, ...npmSettings(), ...named, source], { stdio: "inherit" });
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts the image and resolves once its own health check succeeds. */
async function tryImage() {
  const { Docker } = JSON.parse(buildah(["inspect", "--type=image", IMAGE]));
  const { User, Entrypoint, Cmd, Healthcheck } = Docker.config;
  const config = join(folder, "config");
  await mkdir(config);
  const port = await freePort();
  await writeFile(
    join(config, "gateway.yaml"),
    [
      `listen: { host: 127.0.0.1, port: ${port} }`,
      "servers: { example: { url: https://example.invalid/mcp } }",
      "policy: { folder: ./policies }",
    ].join("\n"),
  );
  await mkdir(join(config, "policies"));
  await writeFile(join(config, "policies/all.cedar"), POLICY);
  const container = buildah(["from", "--pull-never", IMAGE]).trim();
  const mount = `--volume=${config}:/etc/vitrine-gateway:ro`;
  const inside = ["run", isolation, "--network=host", mount, container, "--"];
  const user = buildah([...inside, "id", "-u"]).trim();
  if (user === "0") throw new Error(`The image runs as root (USER ${User}).`);
  const [kind, ...health] = Healthcheck.Test;
  if (kind !== "CMD") throw new Error(`The image has no health check: ${Healthcheck.Test}`);
  const isHealthy = () => {
    try {
      return buildah([...inside, ...health], { stdio: "pipe" }) !== undefined;
    } catch {
      return false;
    }
  };
  if (isHealthy()) throw new Error("The health check succeeds although nothing was started.");
  const command = [...storage, ...inside, ...Entrypoint, ...Cmd];
  const gateway = spawn("buildah", command, { stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [gateway.stdout, gateway.stderr]) {
    stream.on("data", (data) => {
      printed += data;
    });
  }
  const ended = new Promise((resolve) => gateway.once("close", resolve));
  const since = Date.now();
  while (!isHealthy()) {
    if (gateway.exitCode !== null || Date.now() - since > STARTED_WITHIN) {
      throw new Error(`The image didn't become healthy. It printed:\n${printed}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const decision = buildah([...inside, ...EXPLAIN], { stdio: "pipe" }).trim();
  if (!decision.startsWith("allow")) throw new Error(`The policy should allow a call: ${decision}`);
  gateway.kill("SIGTERM");
  await ended;
  return { user, port };
}

try {
  await build();
  const { user, port } = await tryImage();
  const { size } = JSON.parse(buildah(["images", "--json", IMAGE]))[0];
  console.log(
    `image: ${size}, runs as user ${user}, healthy on port ${port}, decides by its policy`,
  );
} catch (error) {
  console.error(error.stderr || error.message);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
