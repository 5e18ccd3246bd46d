// Isolation by a container engine: podman or docker. The program comes from an image.

import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import { promisify } from "node:util";
import { UpstreamError } from "../../upstream.ts";
import type { Command } from "../child-wire.ts";
import { findProgram } from "../program-search.ts";
import type { Isolation, Runner, WrappedCommand } from "./runner.ts";
import { checkMount, findHidden } from "./sandbox-mounts.ts";

const run = promisify(execFile);

/** The only writable folder, and the home of the process. */
const WORK = "/tmp";
/** Neither the gateway's user nor root. */
const USER = "65534:65534";
const LABEL = "dev.vitrine.gateway";
const TIMEOUT = 30_000;

// Variables that the engine's own command needs. Servers get theirs by name, so that no value is on a command
// line, which every user of the machine can read.
const OF_ENGINE = [
  ...["PATH", "HOME", "USER", "LOGNAME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"],
  ...["DOCKER_HOST", "DOCKER_CONFIG", "DOCKER_CONTEXT", "CONTAINER_HOST", "CONTAINERS_CONF"],
  ...["DBUS_SESSION_BUS_ADDRESS", "TMPDIR"],
];

/** Options of `createContainerRunner`. */
export interface ContainerOptions {
  /** Names this gateway. Containers that an earlier process of it left behind are removed. */
  owner: string;
  /** Defaults to podman if it is installed, otherwise to docker. */
  engine?: "podman" | "docker";
  /** The gateway's own files and folders. No server sees them. */
  hidden?: readonly string[];
}

/** Creates a runner that uses a container engine. */
export function createContainerRunner(options: ContainerOptions): Runner {
  const { owner, hidden = [] } = options;
  const environment = Object.fromEntries(
    OF_ENGINE.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const names = options.engine ? [options.engine] : ["podman", "docker"];
  const missing = `The gateway doesn't find ${names.join(" or ")} in its PATH. Install it.`;
  const engine = names
    .map((name) => findProgram(name, { path: environment.PATH }))
    .find((file) => file !== undefined);
  const call = (args: readonly string[]): Promise<{ stdout: string }> =>
    run(engine ?? "", args, {
      env: environment,
      timeout: TIMEOUT,
      maxBuffer: 2 ** 20,
    });
  const live = new Set<string>();
  const remove = async (name: string): Promise<void> => {
    if (!live.delete(name)) return;
    // `--rm` has usually removed it. A killed engine command leaves the container running.
    await call(["rm", "--force", "--volumes", name]).catch(() => {});
  };

  return {
    name: "container",
    gap: undefined,
    probe: async () => {
      if (engine === undefined) return missing;
      try {
        await call(["version"]);
        const { stdout } = await call([
          "ps",
          "--all",
          "--quiet",
          "--filter",
          `label=${LABEL}=${owner}`,
        ]);
        const old = stdout.split(/\s+/).filter((id) => id !== "");
        if (old.length > 0) await call(["rm", "--force", "--volumes", ...old]);
        return undefined;
      } catch (error) {
        const { stderr, message } = error as Error & { stderr?: string };
        const said = (stderr || message).trim().slice(0, 300);
        return `${engine} failed (${said}). Check that the gateway's user may start containers: ${engine} run --rm <image>.`;
      }
    },
    wrap: async (command, isolation): Promise<WrappedCommand> => {
      if (engine === undefined) throw new UpstreamError("crashed", missing);
      const name = `vitrine-${randomUUID()}`;
      const { given = {} } = command;
      live.add(name);
      return {
        argv: [
          ...[engine, "run", "--name", name, "--label", `${LABEL}=${owner}`],
          ...containerFlags(command, isolation, { engine, hidden }),
          ...Object.entries(given).flatMap(([key, value]) => [
            "--env",
            key in environment ? `${key}=${value}` : key,
          ]),
          // The image's own entrypoint isn't used, as with every other runner.
          ...["--entrypoint", command.argv[0] ?? "", isolation.image ?? ""],
          ...command.argv.slice(1),
        ],
        cwd: "/",
        env: { ...given, ...environment },
        release: () => remove(name),
      };
    },
    close: async () => {
      await Promise.all([...live].map(remove));
    },
  };
}

function containerFlags(
  { cwd, user }: Command,
  isolation: Isolation,
  { engine, hidden }: { engine: string; hidden: readonly string[] },
): string[] {
  const { memory, cpus, processes, disk, networkName = "none", readOnly, writable } = isolation;
  const bytes = Math.round(disk);
  const isPodman = basename(engine) === "podman";
  // With the image's own folder, podman would copy its mode too.
  const copying = isPodman ? ",notmpcopyup" : "";
  return [
    ...["--rm", "--interactive", "--init", "--pull", "never", "--log-driver", "none"],
    ...["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
    ...["--user", user ? `${user.uid}:${user.gid}` : USER, "--network", networkName],
    ...["--memory", `${memory}`, "--memory-swap", `${memory}`, "--cpus", `${cpus}`],
    ...["--pids-limit", `${processes}`, "--shm-size", `${2 ** 20}`],
    ...["--mount", `type=tmpfs,destination=${WORK},tmpfs-size=${bytes},tmpfs-mode=1777${copying}`],
    // By default, podman adds writable folders without a limit.
    ...(isPodman ? ["--read-only-tmpfs=false"] : []),
    ...["--env", `HOME=${WORK}`, "--workdir", cwd ?? WORK],
    ...mounts(readOnly, "ro", hidden),
    ...mounts(writable, "rw", hidden),
  ];
}

/** Throws an `UpstreamError` for a folder that can't or mustn't be shown. */
function mounts(paths: readonly string[], mode: "ro" | "rw", hidden: readonly string[]): string[] {
  return paths.flatMap((path) => {
    checkMount(path, hidden);
    // An engine has no way to leave out a part of a folder.
    if (findHidden(path, hidden)) {
      const message = `${path} contains files of the gateway. Name the folder that the server needs.`;
      throw new UpstreamError("crashed", message);
    }
    if (/[:,]/.test(path)) {
      throw new UpstreamError("crashed", `${path} can't be mounted: it contains a colon or comma.`);
    }
    return ["--volume", `${path}:${path}:${mode}`];
  });
}
