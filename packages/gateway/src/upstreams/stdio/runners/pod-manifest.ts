import type { Command } from "../child-wire.ts";
import type { Isolation } from "./runner.ts";

/** The only writable folder, and the home of the process. */
const WORK = "/tmp";
/** Neither root nor a user of the node. */
const NOBODY = 65_534;

/** Names of a pod. */
export interface PodNames {
  name: string;
  /** Names the gateway that the pod belongs to. */
  owner: string;
}

/** Labels that select the pods of a gateway. */
export function podLabels(owner: string): Record<string, string> {
  return { "app.kubernetes.io/managed-by": "vitrine-gateway", "vitrine.dev/gateway": owner };
}

/** A pod for one process. It satisfies the Pod Security Standard "restricted". */
export function podManifest(
  { argv, cwd, given = {}, user }: Command,
  { image, memory, cpus, disk, networkName = "none" }: Isolation,
  { name, owner }: PodNames,
): Record<string, unknown> {
  const amounts = {
    memory: `${Math.round(memory)}`,
    cpu: `${Math.ceil(cpus * 1000)}m`,
    // The work folder is in memory. This limits the output that the node keeps as a log.
    "ephemeral-storage": "64Mi",
  };
  const uid = user?.uid ?? NOBODY;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      labels: { ...podLabels(owner), "vitrine.dev/network": networkName },
    },
    spec: {
      restartPolicy: "Never",
      // Without a token, the process can't use the cluster's API.
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 1,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: uid,
        runAsGroup: user?.gid ?? NOBODY,
        fsGroup: user?.gid ?? NOBODY,
        seccompProfile: { type: "RuntimeDefault" },
      },
      containers: [
        {
          name: "server",
          image,
          imagePullPolicy: "IfNotPresent",
          // The image's own entrypoint isn't used, as with every other runner.
          command: argv,
          workingDir: cwd ?? WORK,
          env: Object.entries({ HOME: WORK, ...given }).map(([key, value]) => ({
            name: key,
            // A dollar sign would refer to another variable.
            value: value.replaceAll("$", "$$$$"),
          })),
          stdin: true,
          stdinOnce: true,
          resources: {
            limits: amounts,
            requests: { memory: "32Mi", cpu: "10m", "ephemeral-storage": "0" },
          },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ["ALL"] },
          },
          volumeMounts: [{ name: "work", mountPath: WORK }],
        },
      ],
      volumes: [{ name: "work", emptyDir: { medium: "Memory", sizeLimit: `${Math.round(disk)}` } }],
    },
  };
}
