// Holds what is deployed to what is built: the chart is linted and rendered, the configurations in it and in
// compose.yaml are read by the gateway itself, those of NATS by nats-server. helm and nats-server are taken
// from PATH or from Go's folder.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CHART = join(ROOT, "deploy/chart");
const COMPOSE = join(ROOT, "deploy/compose");
// Of the chart and of compose.yaml. Here their form matters alone.
const SECRETS = [
  "NATS_PASSWORD",
  "OPERATOR_TOKEN",
  "nats-password",
  "operator-token",
  "ADMIN_TOKEN",
];
/** What the operator creates next to compose.yaml. */
const CREATED = ["keys", "secrets"];

function run(program, args, environment = {}) {
  const folders = [process.env.PATH ?? "", join(process.env.HOME ?? "", "go/bin")];
  const env = { ...process.env, PATH: folders.join(delimiter), ...environment };
  try {
    return execFileSync(program, args, { cwd: ROOT, env, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    if (error.code === "ENOENT") throw new Error(`${program} is missing; see CONTRIBUTING.md.`);
    throw new Error(`${program} ${args.join(" ")}\n${error.stdout}${error.stderr}`);
  }
}

/** Has the gateway read a configuration, with secrets of this machine in place of the container's. */
async function checkGateway(text, folder, environment) {
  const file = join(folder, "gateway.yaml");
  for (const name of SECRETS) {
    await writeFile(join(folder, name), `${name} of 32 characters and more`, { mode: 0o600 });
  }
  await writeFile(file, text.replaceAll(/\/etc\/vitrine-gateway[-/]secrets\//g, `${folder}/`));
  const gateway = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];
  const program = join(ROOT, "packages/gateway/src/main.ts");
  run(process.execPath, [...gateway, program, "check", "--config", file], environment);
}

/** Every document of the chart, with these values. */
function render(...values) {
  const text = run("helm", ["template", "trial", CHART, ...values.flatMap((v) => ["--set", v])]);
  return parseAllDocuments(text).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  });
}

async function checkChart(folder) {
  run("helm", ["lint", "--strict", CHART]);
  const documents = render(
    "ingress.enabled=true",
    "archiver.archive.enabled=true",
    "config.servers.clock.url=https://clock.example/mcp",
    "config.servers.board.command={board}",
    "config.servers.board.user=mcp-board",
    "runner.programs=true",
  );
  const named = (kind, name) =>
    documents.find((document) => document?.kind === kind && document.metadata.name === name);
  const config = named("ConfigMap", "trial-config").data["gateway.yaml"];
  for (const role of ["edge", "runner", "archiver"]) {
    const [container] = named("Deployment", `trial-${role}`).spec.template.spec.containers;
    const given = container.env.filter(({ value }) => value !== undefined);
    const variables = Object.fromEntries(given.map(({ name, value }) => [name, value]));
    await checkGateway(config, folder, { ...variables, VITRINE_ENGINE_NODE: role });
    const capabilities = container.securityContext.capabilities.add ?? [];
    if (capabilities.length > 0 !== (role === "runner")) {
      throw new Error(`The capabilities of ${role} are wrong.`);
    }
    const isArchived = variables.VITRINE_AUDIT_ARCHIVE_FOLDER !== undefined;
    if (isArchived !== (role === "archiver")) throw new Error(`The archive of ${role} is wrong.`);
  }
  checkOperations();
  await checkSingle(folder);
  const nats = join(folder, "nats.conf");
  await writeFile(nats, named("ConfigMap", "trial-nats").data["nats.conf"]);
  run("nats-server", ["-t", "-c", nats], { SERVER_NAME: "trial-nats-0" });
  try {
    render("nats.enabled=false");
  } catch (error) {
    if (/nats\.servers is empty/.test(error.message)) return documents.length;
    throw error;
  }
  throw new Error("A chart without NATS and without its servers was rendered.");
}

const find = (documents, kind, name) =>
  documents.find((document) => document?.kind === kind && document.metadata.name === name);

function expectThat(holds, message) {
  if (!holds) throw new Error(message);
}

/** What an operator expects of a chart (O15). */
function checkOperations() {
  const documents = render(
    ...["serviceMonitor.enabled=true", "ingress.enabled=true", "edge.autoscaling.enabled=true"],
    ...["imagePullSecrets[0].name=registry", "edge.tolerations[0].key=pool", "admin.enabled=true"],
    "ingress.annotations.limit=1m",
  );
  const podOf = (role, from = documents) => find(from, "Deployment", `trial-${role}`).spec.template;
  const pod = podOf("edge").spec;
  expectThat(pod.imagePullSecrets[0].name === "registry", "The pull secret is missing.");
  expectThat(pod.tolerations[0].key === "pool", "The tolerations of edge are missing.");
  const operator = find(documents, "Service", "trial-operator");
  const names = operator.spec.ports.map(({ name }) => name).join();
  expectThat(names === "operator,admin", "The operator's Service lacks a port.");
  expectThat(find(documents, "ServiceMonitor", "trial"), "The ServiceMonitor is missing.");
  const scaler = find(documents, "HorizontalPodAutoscaler", "trial-edge");
  expectThat(scaler?.spec.minReplicas === 3, "The autoscaler of edge is missing.");
  expectThat(
    find(documents, "Deployment", "trial-edge").spec.replicas === undefined,
    "The Deployment sets the number of pods that its autoscaler decides about.",
  );
  expectThat(
    find(documents, "Ingress", "trial").metadata.annotations.limit === "1m",
    "The annotations of the ingress are missing.",
  );
  const checksum = (...values) =>
    podOf("edge", render(...values)).metadata.annotations["checksum/config"];
  const before = checksum();
  expectThat(
    before === checksum("config.servers.new.url=https://new.example/mcp"),
    "A new server would restart the pods.",
  );
  expectThat(before !== checksum("config.audit.level=full"), "A changed setting restarts no pod.");
  try {
    render("edge.replicsa=2");
  } catch {
    return;
  }
  throw new Error("The chart accepts a misspelt value.");
}

/** One process without NATS. */
async function checkSingle(folder) {
  const documents = render("mode=single", "config.servers.clock.url=https://clock.example/mcp");
  const kinds = documents.map((document) => document?.kind);
  expectThat(!kinds.includes("Deployment"), "The single mode has pods of the cluster.");
  expectThat(!find(documents, "StatefulSet", "trial-nats"), "The single mode has NATS.");
  expectThat(find(documents, "StatefulSet", "trial").spec.replicas === 1, "It isn't single.");
  const config = find(documents, "ConfigMap", "trial-config").data["gateway.yaml"];
  await checkGateway(config, folder, {});
}

async function checkCompose(folder) {
  const { services } = parse(await readFile(join(COMPOSE, "compose.yaml"), "utf8"), {
    merge: true,
  });
  const given = await readFile(join(COMPOSE, "environment.example"), "utf8");
  for (const [name, { environment = {}, volumes }] of Object.entries(services)) {
    for (const value of Object.values(environment)) {
      const variable = /^\$\{(\w+):\?\}$/.exec(value)?.[1];
      if (variable && !given.includes(`${variable}=`)) {
        throw new Error(`${name} wants ${variable}, which environment.example does not have.`);
      }
    }
    for (const volume of volumes) {
      const file = /^\.\/([^:]+):/.exec(volume)?.[1];
      if (file && !CREATED.includes(file)) await readFile(join(COMPOSE, file));
    }
  }
  const { VITRINE_ENGINE_NODE } = services["gateway-b"].environment;
  const config = await readFile(join(COMPOSE, "gateway.yaml"), "utf8");
  await checkGateway(config, folder, { VITRINE_ENGINE_NODE });
  run("nats-server", ["-t", "-c", join(COMPOSE, "nats.conf")]);
}

/** Tests the alert rules, if promtool is there: building it takes long, so `.ci/nightly` does. */
function checkMonitoring() {
  const rules = join(ROOT, "deploy/monitoring");
  JSON.parse(readFileSync(join(rules, "dashboard.json"), "utf8"));
  try {
    run("promtool", ["check", "rules", join(rules, "rules.yaml")]);
  } catch (error) {
    if (!/is missing/.test(error.message)) throw error;
    return "not tested, promtool is missing";
  }
  run("promtool", ["test", "rules", join(rules, "rules.test.yaml")]);
  return "hold";
}

const folder = await mkdtemp(join(tmpdir(), "vitrine-deploy-"));
try {
  console.log(`monitoring: the alert rules ${checkMonitoring()}`);
  const count = await checkChart(folder);
  await checkCompose(folder);
  console.log(`deploy: ${count} documents of the chart and compose.yaml hold`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}
