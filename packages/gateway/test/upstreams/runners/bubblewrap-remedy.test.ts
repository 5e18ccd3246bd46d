import { describe, expect, test } from "vitest";
import { bubblewrapRemedy } from "../../../src/upstreams/stdio/runners/bubblewrap-remedy.ts";

const machine = { isPod: false, isContainer: false };
// Messages of bubblewrap 0.8 on a machine without user namespaces, on Ubuntu 24.04, and in a container.
const FAILURES = [
  "bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces.",
  "bwrap: setting up uid map: Permission denied",
  "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted",
  "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
];

describe("the remedy for a bubblewrap that doesn't start", () => {
  test("is an AppArmor profile or a sysctl on a machine", () => {
    for (const said of FAILURES) {
      expect(bubblewrapRemedy(said, machine)).toMatch(
        /Ubuntu 24\.04.*AppArmor.*max_user_namespaces/,
      );
    }
  });

  test("is another runner in a container or pod", () => {
    for (const said of FAILURES) {
      const inContainer = bubblewrapRemedy(said, { ...machine, isContainer: true });
      expect(inContainer).toMatch(/runs in a container.*runner container or kubernetes/);
      const inPod = bubblewrapRemedy(said, { isPod: true, isContainer: true });
      expect(inPod).toMatch(/runs in a pod.*runner kubernetes/);
    }
  });

  test("is a newer version for an unknown option, and the page for anything else", () => {
    expect(bubblewrapRemedy("bwrap: Unknown option --disable-userns", machine)).toContain("0.8");
    expect(bubblewrapRemedy("something else", machine)).toContain("docs/isolation.md");
  });
});
