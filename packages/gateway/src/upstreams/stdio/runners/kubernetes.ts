// Isolation by a cluster: a pod for each process, driven through kubectl. The gateway needs the rights to create,
// get, list, watch, attach to and delete pods in one namespace, and nothing else.

import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { UpstreamError } from "../../upstream.ts";
import { findProgram } from "../program-search.ts";
import { podLabels, podManifest } from "./pod-manifest.ts";
import { ISOLATION, type Runner, type WrappedCommand } from "./runner.ts";

const run = promisify(execFile);

const MISSING = "The gateway doesn't find kubectl in its PATH. Install it.";
const TIMEOUT = 30_000;
const READY_TIME = 60_000;
const POLL_INTERVAL = 300;
// Variables that kubectl needs to find and reach the cluster.
const OF_KUBECTL = [
  ...["PATH", "HOME", "KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"],
  ...["HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE"],
];

/** Options of `createKubernetesRunner`. */
export interface KubernetesOptions {
  /** Names this gateway. Pods that an earlier process of it left behind are removed. */
  owner: string;
  /** Defaults to the one of kubectl's context. */
  namespace?: string;
}

/** Creates a runner that starts a pod for each process. */
export function createKubernetesRunner({ owner: text, namespace }: KubernetesOptions): Runner {
  const owner = labelOf(text);
  const environment = Object.fromEntries(
    OF_KUBECTL.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const kubectl = findProgram("kubectl", { path: environment.PATH });
  const place = namespace === undefined ? [] : ["--namespace", namespace];
  const call = async (args: readonly string[], input?: string): Promise<string> => {
    const options = { env: environment, timeout: TIMEOUT + 60_000, maxBuffer: 2 ** 20 };
    const running = run(kubectl ?? "", [...place, ...args], options);
    running.child.stdin?.on("error", () => {});
    running.child.stdin?.end(input);
    return (await running).stdout;
  };
  const live = new Set<string>();
  const remove = async (name: string): Promise<void> => {
    if (!live.delete(name)) return;
    const now = ["--ignore-not-found", "--grace-period=0", "--force", "--wait=false"];
    await call(["delete", "pod", name, ...now]).catch(() => {});
  };

  /** Polls, because waiting for a condition doesn't notice a pod that failed. */
  const untilRunning = async (name: string): Promise<void> => {
    const get = ["get", "pod", name, "--output", "jsonpath={.status.phase}"];
    for (const end = Date.now() + READY_TIME; Date.now() < end; await sleep(POLL_INTERVAL)) {
      const phase = await call(get);
      if (phase === "Running") return;
      if (phase !== "Pending" && phase !== "") throw new Error(`It ended at once (${phase}).`);
    }
    throw new Error("It isn't running after a minute.");
  };

  return {
    name: "kubernetes",
    gap: "The cluster limits networks by policies and processes per node; see docs/isolation.md, Pods.",
    probe: async () => {
      if (kubectl === undefined) return MISSING;
      const trial = podManifest(
        { argv: ["true"], env: {} },
        { ...ISOLATION, image: "trial" },
        { name: "vitrine-trial", owner },
      );
      try {
        // The cluster checks the pod, its policies and the gateway's rights without starting anything.
        await call(["create", "--dry-run=server", "--filename", "-"], JSON.stringify(trial));
        for (const right of [
          ["create", "pods/attach"],
          ["delete", "pods"],
          ["watch", "pods"],
        ]) {
          await call(["auth", "can-i", "--quiet", ...right]).catch(() => {
            throw new Error(`The gateway may not ${right.join(" ")} in the namespace.`);
          });
        }
        const selector = Object.entries(podLabels(owner)).map(
          ([name, value]) => `${name}=${value}`,
        );
        const now = ["--grace-period=0", "--force", "--wait=false", "--ignore-not-found"];
        await call(["delete", "pods", "--selector", selector.join(), ...now]);
        return undefined;
      } catch (error) {
        const { stderr, message } = error as Error & { stderr?: string };
        const said = (stderr || message).trim().slice(0, 300);
        return `The cluster doesn't accept pods of the gateway (${said}). Give its account the role of docs/isolation.md, Pods.`;
      }
    },
    wrap: async (command, isolation): Promise<WrappedCommand> => {
      if (kubectl === undefined) throw new UpstreamError("crashed", MISSING);
      const name = `vitrine-${randomUUID()}`;
      live.add(name);
      try {
        // Through a pipe: other users of the machine can read the variables of a command line.
        const manifest = podManifest(command, isolation, { name, owner });
        await call(["create", "--filename", "-"], JSON.stringify(manifest));
        await untilRunning(name);
      } catch (cause) {
        const reason = await call(["get", "pod", name, "--output", `jsonpath=${WHY}`]).catch(
          () => "",
        );
        await remove(name);
        const why = reason.trim() || `${(cause as Error & { stderr?: string }).stderr ?? cause}`;
        throw new UpstreamError("crashed", `The pod didn't start: ${why.slice(0, 300)}`, { cause });
      }
      return {
        argv: ["/bin/sh", "-c", ATTACH, kubectl, name, ...place],
        cwd: "/",
        env: environment,
        release: () => remove(name),
      };
    },
    close: async () => {
      await Promise.all([...live].map(remove));
    },
  };
}

// `kubectl attach` ends with 0 whatever the program's exit code was, and the node reports that a moment later.
const ATTACH = `
kubectl=$0 name=$1
shift
"$kubectl" "$@" attach --stdin --quiet "$name" --container server
for attempt in 1 2 3 4 5 6; do
  code=$("$kubectl" "$@" get pod "$name" --output "jsonpath={.status.containerStatuses[0].state.terminated.exitCode}")
  [ "$code" ] && exit "$code"
  sleep 0.5
done
exit 1
`;

const WHY =
  "{.status.message} {.status.containerStatuses[0].state.waiting.message} {.status.containerStatuses[0].state.terminated.message} {.status.containerStatuses[0].state.terminated.reason}";

/** A value that a label can have. */
function labelOf(text: string): string {
  return text.replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "").slice(0, 63) || "gateway";
}
