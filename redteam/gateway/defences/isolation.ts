import type { GatewayDefence } from "../defence.ts";

const runners = "gateway/src/upstreams/stdio/runners";
const tests = "packages/gateway/test/upstreams/runners";
const bubblewrap = `${tests}/bubblewrap.process.test.ts`;
const egress = `${tests}/egress-proxy.process.test.ts`;
const files = `${tests}/program-files.test.ts`;
const service = "packages/gateway/test/service/isolation.process.test.ts";

/** The parts of the sandbox around servers that are programs. */
export const ISOLATION_DEFENCES: readonly GatewayDefence[] = [
  {
    name: "gateway-sandbox-namespaces",
    edits: [
      {
        file: `${runners}/bubblewrap.ts`,
        from: '"--unshare-all"',
        to: '"--unshare-pid"',
      },
    ],
    noticedBy: [`${bubblewrap}#has no network`],
  },
  {
    name: "gateway-sandbox-read-only",
    edits: [
      {
        file: `${runners}/bubblewrap.ts`,
        from: '"--remount-ro", "/dev", "--remount-ro", "/", ',
        to: "",
      },
    ],
    noticedBy: [`${bubblewrap}#lets it write to its work folder only`],
  },
  {
    name: "gateway-sandbox-limits",
    edits: [
      {
        file: `${runners}/process-limits.ts`,
        from: 'return [PRLIMIT, ...flags, "--", ...argv];',
        to: "return [...argv];",
      },
    ],
    noticedBy: [`${bubblewrap}#limits its processes`, `${bubblewrap}#limits its memory`],
  },
  {
    name: "gateway-sandbox-own-files",
    edits: [
      {
        file: `${runners}/sandbox-mounts.ts`,
        from: "return [...mounted, ...covers];",
        to: "return covers.length < 0 ? covers : mounted;",
      },
    ],
    noticedBy: [`${bubblewrap}#sees neither its data`, `${files}#don't include the gateway's`],
  },
  {
    name: "gateway-egress-list",
    edits: [
      {
        file: `${runners}/egress-proxy.ts`,
        from: "if (!mayBePrivate && !isListed(network, target)) {",
        to: "if (!mayBePrivate && !network) {",
      },
    ],
    noticedBy: [`${egress}#rejects every other host`],
  },
  {
    name: "gateway-egress-private",
    edits: [
      {
        file: `${runners}/egress-proxy.ts`,
        from: "!isPublicAddress(each.address)",
        to: "!isPublicAddress",
      },
    ],
    noticedBy: [`${egress}#leads into a private network`],
  },
  {
    name: "gateway-isolation-default",
    edits: [
      {
        file: "gateway/src/config/isolation.ts",
        from: 'isSharedGateway(config) && user === undefined ? "auto" : "none"',
        to: 'isSharedGateway(config) && user === undefined ? "none" : "none"',
      },
    ],
    noticedBy: [`${service}#doesn't start where isolation doesn't work`],
  },
  {
    name: "gateway-isolation-trial",
    edits: [
      {
        file: "gateway/src/service/open-isolation.ts",
        from: "if (obstacle !== undefined) {",
        to: 'if (obstacle === "") {',
      },
    ],
    noticedBy: [`${service}#doesn't start where isolation doesn't work`],
  },
];
