// The bill of a deployment, from what was measured on one machine. No figure here is a measurement: what is
// measured comes in, what is assumed is named, the rest is arithmetic. Microseconds and bytes.

/** What `npm run bench:scale -- --write` writes down, as far as the bill needs it. */
export interface Figures {
  /** Each further call adds this: to a server without sessions, to a program of its own, and to pass one on. */
  modernCpu: number;
  statefulCpu: number;
  hopCpu: number;
  /** A gateway with calls uses this in a second besides: batches of its log, its lease. */
  processCpu: number;
  /** Of all NATS nodes together, for such a call. */
  natsCpuModern: number;
  natsCpuStateful: number;
  /** Of all NATS nodes together in a second without calls. */
  idleNatsCpu: number;
  /** Memory of a gateway without Views, and of a View in it. */
  gatewayBytes: number;
  viewBytes: number;
  /** Per second, of an idle View. */
  viewCpu: number;
  /** Of the records of a call, as they are stored on one replica. */
  auditBytes: number;
}

/** What a deployment needs. CPU in cores, rates in bytes a second. */
export interface Bill {
  views: number;
  calls: number;
  cpu: { calls: number; hops: number; views: number; work: number };
  processes: number;
  cores: number;
  machines: number;
  memory: number;
  memoryPerProcess: number;
  network: { views: number; servers: number; hops: number; audit: number };
  nats: { cpu: number; nodes: number; coresPerNode: number };
  audit: { rate: number; perDay: number; disk: number };
}

/** Assumptions that weren't measured, with reasons. */
export const ASSUMPTIONS = {
  /** Calls of a View in a second: 100 k calls/s of 1 M Views. */
  callsPerView: 0.1,
  /** Of these to a server that is a program or has sessions. */
  statefulShare: 0.2,
  /** TLS to servers, JWTs, larger frames and schemas than the bench has. */
  workFactor: 2,
  /** The share of a core that is planned for; the rest is for peaks. */
  targetLoad: 0.6,
  /** One of three zones may be lost. */
  spare: 1.5,
  /** Views of one process, by what is lost with it rather than by its memory. */
  viewsPerProcess: 25_000,
  /** Cores and processes of a machine for gateways. */
  coresPerMachine: 8,
  processesPerMachine: 6,
  /** Kernel memory of a connection, which a process's own does not show. */
  kernelBytesPerView: 6_000,
  /** On the wire, both ways: between View and gateway, and again between gateway and server. */
  frameBytes: 1_500,
  /** Of a call that is passed on, both ways, over NATS. */
  hopBytes: 1_400,
  auditReplicas: 3,
  auditHours: 48,
  /** Bytes of audit a second that one group of three NATS nodes is given to write. */
  auditBytesPerGroup: 40e6,
  /** The smallest NATS node that is worth running. */
  natsCoresPerNode: 2,
};

const SECOND = 1e6;

/** What a deployment of so many Views needs. */
export function billFor(
  figures: Figures,
  views: number,
  assumptions: Partial<typeof ASSUMPTIONS> = {},
): Bill {
  const a = { ...ASSUMPTIONS, ...assumptions };
  const calls = views * a.callsPerView;
  const stateful = calls * a.statefulShare;
  const modern = calls - stateful;
  const callCpu = (modern * figures.modernCpu + stateful * figures.statefulCpu) / SECOND;
  // Where there are many processes nearly no call arrives at its owner.
  const hopCpu = (stateful * figures.hopCpu) / SECOND;
  const viewCpu = (views * figures.viewCpu) / SECOND;
  const work = (callCpu + hopCpu + viewCpu) * a.workFactor;
  const room = a.targetLoad - figures.processCpu / SECOND;
  if (room <= 0) throw new RangeError("A process without calls is above the load planned for.");
  const byCpu = work / room;
  const byViews = views / a.viewsPerProcess;
  const processes = Math.max(3, Math.ceil(Math.max(byCpu, byViews) * a.spare));
  const memory =
    views * (figures.viewBytes + a.kernelBytesPerView) + processes * figures.gatewayBytes;
  const auditRate = calls * figures.auditBytes;
  const natsCpu =
    (modern * figures.natsCpuModern + stateful * figures.natsCpuStateful + figures.idleNatsCpu) /
    SECOND;
  const groups = Math.max(1, Math.ceil((auditRate * a.auditReplicas) / a.auditBytesPerGroup));
  return {
    views,
    calls,
    cpu: { calls: callCpu, hops: hopCpu, views: viewCpu, work },
    processes,
    cores: Math.ceil(((work + processes * (figures.processCpu / SECOND)) / a.targetLoad) * a.spare),
    machines: Math.max(3, Math.ceil(processes / a.processesPerMachine)),
    memory,
    memoryPerProcess: memory / processes,
    network: {
      views: calls * a.frameBytes,
      servers: calls * a.frameBytes,
      hops: stateful * a.hopBytes,
      audit: auditRate * a.auditReplicas,
    },
    nats: {
      cpu: natsCpu,
      // The group that coordinates, and those that hold the log where it outgrows that one.
      nodes: groups > 1 ? 3 + 3 * groups : 3,
      coresPerNode: Math.max(a.natsCoresPerNode, Math.ceil(natsCpu / a.targetLoad / (3 * groups))),
    },
    audit: {
      rate: auditRate,
      perDay: auditRate * 86_400,
      disk: auditRate * a.auditReplicas * a.auditHours * 3_600,
    },
  };
}
