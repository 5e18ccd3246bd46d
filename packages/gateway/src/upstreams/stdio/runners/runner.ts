// A runner starts a server's process where it can't reach the gateway: its files, environment, memory and
// network. Every driver passes the same contract suite (test/upstreams/runners/runner-contract.ts).

import type { Command } from "../child-wire.ts";

/** What a process may use. Sizes in bytes. */
export interface Isolation {
  /** The image of a container or pod. */
  image?: string | undefined;
  memory: number;
  /** Processors, such as 0.5. */
  cpus: number;
  /** Processes and threads together. */
  processes: number;
  /** Size of the work folder, the only one that the process can write to. */
  disk: number;
  /** `host:port` pairs that the process may connect to, at public addresses. `*.host:port` for subdomains. */
  network: readonly string[];
  /** `host:port` pairs that may also be at private addresses. */
  privateNetwork: readonly string[];
  /** A network of the container engine, or the value of a pod's label `vitrine.dev/network`. */
  networkName?: string | undefined;
  /** Further files and folders that the process can read. */
  readOnly: readonly string[];
  /** Folders that the process can write to and that outlive it. */
  writable: readonly string[];
}

/** The defaults. A Node server with its threads needs about 60 MB and 11 tasks. */
export const ISOLATION: Isolation = {
  memory: 512 * 2 ** 20,
  cpus: 1,
  processes: 64,
  disk: 256 * 2 ** 20,
  network: [],
  privateNetwork: [],
  readOnly: [],
  writable: [],
};

/** A command that starts another one in isolation. */
export interface WrappedCommand extends Command {
  /** Removes what was created for the process, and the process if it is still there. Idempotent. */
  release(): Promise<void>;
}

/** A way to isolate processes. */
export interface Runner {
  readonly name: "bubblewrap" | "container" | "kubernetes";
  /** Tries it with a real process. Resolves to the reason and a remedy if it doesn't work. */
  probe(): Promise<string | undefined>;
  /** What its limits don't cover on this machine, as a sentence. */
  readonly gap: string | undefined;
  /** Rejects with an `UpstreamError` if the command can't be isolated. */
  wrap(command: Command, isolation: Isolation): Promise<WrappedCommand>;
  close(): Promise<void>;
}
