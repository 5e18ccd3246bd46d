// Against a real cluster: `KUBECONFIG=… VITRINE_TEST_CLUSTER=namespace/image npx vitest run …`. The image needs a
// shell and the usual programs. Without a cluster, only the manifest is checked.

import { describe, expect, test } from "vitest";
import { createKubernetesRunner } from "../../../src/upstreams/stdio/runners/kubernetes.ts";
import { podManifest } from "../../../src/upstreams/stdio/runners/pod-manifest.ts";
import { ISOLATION } from "../../../src/upstreams/stdio/runners/runner.ts";
import type { Json } from "../../stage.ts";
import { runnerContract } from "./runner-contract.ts";

const [namespace, ...image] = (process.env.VITRINE_TEST_CLUSTER ?? "").split("/");

if (namespace) {
  runnerContract("kubernetes", {
    create: () => createKubernetesRunner({ owner: "test", namespace }),
    isolation: { image: image.join("/") },
    isPod: true,
    startTime: 60_000,
  });
}

describe("the pod of an isolated program", () => {
  const command = { argv: ["node", "/app/server.js"], env: {}, given: { PRICE: "$(HOME)" } };
  const pod = podManifest(command, { ...ISOLATION, image: "clock" }, { name: "a", owner: "b" });
  const { spec } = pod as { spec: Json };
  const [container] = spec.containers;

  test("satisfies the restricted Pod Security Standard", () => {
    expect(spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(JSON.stringify(spec)).not.toMatch(/hostPath|hostNetwork|privileged":true/);
  });

  test("has no token of the cluster, and limits", () => {
    expect(spec.automountServiceAccountToken).toBe(false);
    expect(container.resources.limits).toMatchObject({ memory: "536870912", cpu: "1000m" });
    expect(spec.volumes).toEqual([
      { name: "work", emptyDir: { medium: "Memory", sizeLimit: "268435456" } },
    ]);
  });

  test("passes variables as they are, and labels its network", () => {
    expect(container.env).toContainEqual({ name: "PRICE", value: "$$(HOME)" });
    expect(pod.metadata).toMatchObject({ labels: { "vitrine.dev/network": "none" } });
  });
});
