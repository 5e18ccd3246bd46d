import { describe, expect, test } from "vitest";
import { ASSUMPTIONS, billFor, type Figures } from "../bench/gateway/scale-model.ts";

// Round numbers, so that every figure of the bill can be found with a pencil.
const FIGURES: Figures = {
  modernCpu: 100,
  statefulCpu: 80,
  hopCpu: 50,
  processCpu: 100_000,
  natsCpuModern: 10,
  natsCpuStateful: 20,
  idleNatsCpu: 20_000,
  gatewayBytes: 100e6,
  viewBytes: 14_000,
  viewCpu: 1,
  auditBytes: 200,
};

describe("the bill of a million views", () => {
  const bill = billFor(FIGURES, 1_000_000);

  test("has the calls of all views, and the CPU of each kind of them", () => {
    expect(bill.calls).toBe(100_000);
    // 80,000 × 100 µs + 20,000 × 80 µs; 20,000 × 50 µs; 1,000,000 × 1 µs.
    expect(bill.cpu).toEqual({
      calls: expect.closeTo(9.6),
      hops: expect.closeTo(1),
      views: expect.closeTo(1),
      work: expect.closeTo(23.2),
    });
  });

  test("has the processes that views or CPU ask for, whichever asks for more, and a spare zone", () => {
    // 23.2 ÷ (0.6 − 0.1) = 46.4 by CPU, 40 by views; × 1.5. Cores: (23.2 + 70 × 0.1) ÷ 0.6 × 1.5.
    expect(bill.processes).toBe(70);
    expect(bill.cores).toBe(76);
    expect(bill.machines).toBe(12);
    expect(billFor(FIGURES, 1_000_000, { callsPerView: 0.02 }).processes).toBe(60);
  });

  test("has memory for views and for processes, and network for every way a call takes", () => {
    expect(bill.memory).toBe(1e6 * 20_000 + 70 * 100e6);
    expect(bill.memoryPerProcess * bill.processes).toBe(bill.memory);
    expect(bill.network).toEqual({
      views: 100_000 * ASSUMPTIONS.frameBytes,
      servers: 100_000 * ASSUMPTIONS.frameBytes,
      hops: 20_000 * ASSUMPTIONS.hopBytes,
      audit: 100_000 * 200 * 3,
    });
  });

  test("has the log in bytes, and NATS nodes by them", () => {
    expect(bill.audit).toEqual({
      rate: 20e6,
      perDay: 20e6 * 86_400,
      disk: 20e6 * 3 * 48 * 3_600,
    });
    expect(bill.nats.cpu).toBeCloseTo(0.8 + 0.4 + 0.02);
    // 60 MB/s are two groups of three, in addition to the three that coordinate.
    expect(bill.nats.nodes).toBe(9);
  });
});

test("few views are three small processes on three nodes, of which one may fail", () => {
  const { processes, machines, nats } = billFor(FIGURES, 100);
  expect({ processes, machines, nodes: nats.nodes }).toEqual({
    processes: 3,
    machines: 3,
    nodes: 3,
  });
});

test("a process that is busy without calls is said to be, instead of a bill that makes no sense", () => {
  expect(() => billFor({ ...FIGURES, processCpu: 700_000 }, 1_000)).toThrow("without calls");
});

test("ten times the views cost ten times the CPU, network and disk", () => {
  const [small, large] = [billFor(FIGURES, 100_000), billFor(FIGURES, 1_000_000)];
  expect(large.cpu.work / small.cpu.work).toBeCloseTo(10);
  expect(large.network.views / small.network.views).toBeCloseTo(10);
  expect(large.audit.disk / small.audit.disk).toBeCloseTo(10);
});
