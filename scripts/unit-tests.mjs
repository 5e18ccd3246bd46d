// Unit tests share worker processes, so they may not start anything: tests that do are named
// *.process.test.ts and get a process each.

import { posix } from "node:path";

const UNIT_TEST = /(^|\/)test\/([^/]+\/)*[^/.]+\.test\.tsx?$/;
// Code under test may start whatever it likes; a test that makes it do so needs the suffix all the same.
const SUPPORT = /(^|\/)test\/|^internal\/src\//;
const STARTS = ["node:child_process", "node:worker_threads", "playwright"];
const LISTENS = /\.listen\(/;
const IMPORT = /^(?:import|export)\b[^;]*?from\s+"([^"]+)"/gms;

/** Complaints about unit tests that start something themselves or by a file of test support. */
export function unitTestComplaints(sources) {
  return [...sources.keys()]
    .filter((path) => UNIT_TEST.test(path))
    .flatMap((path) => {
      const reason = reasonFor(path, { sources, seen: new Set() });
      return reason ? [`${path} is a unit test, but ${reason}: name it *.process.test.ts.`] : [];
    });
}

function reasonFor(path, { sources, seen }) {
  if (seen.has(path)) return undefined;
  seen.add(path);
  const source = sources.get(path);
  if (source === undefined || !SUPPORT.test(path)) return undefined;
  if (LISTENS.test(source)) return `${path} listens on a port`;
  for (const [statement, specifier] of source.matchAll(IMPORT)) {
    if (/^(?:import|export) type\b/.test(statement)) continue;
    if (STARTS.includes(specifier)) return `${path} imports ${specifier}`;
    const target = resolve(path, specifier);
    const reason = target && reasonFor(target, { sources, seen });
    if (reason) return reason;
  }
  return undefined;
}

function resolve(from, specifier) {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(from), specifier);
  const [, name] = /^@vitrine\/internal\/(.+)$/.exec(specifier) ?? [];
  return name && `internal/src/${name}.ts`;
}
