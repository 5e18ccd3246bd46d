import type { QuotaConfig } from "./config.ts";
import type { Path } from "./schema.ts";

type Say = (at: Path, message: string) => void;

/** Checks that each quota has a name of its own, limits something, and names things unambiguously. */
export function checkQuotas(quotas: readonly QuotaConfig[], report: Say): void {
  const names = new Set<string>();
  for (const [place, quota] of quotas.entries()) {
    const at: Path = ["limits", "quotas", place];
    const { name, perMinute, perDay, atOnce } = quota;
    if (names.has(name)) report([...at, "name"], `Two quotas have the name "${name}".`);
    names.add(name);
    if (perMinute === undefined && perDay === undefined && atOnce === undefined) {
      report(at, "It limits nothing. Set perMinute, perDay or atOnce.");
    }
    checkNames(quota, at, report);
  }
}

function checkNames({ user, group, server, tool }: QuotaConfig, at: Path, report: Say): void {
  for (const [key, value] of Object.entries({ user, group })) {
    if (value === undefined || value.includes("/") || (key === "user" && value === "*")) continue;
    report([...at, key], `"${value}" has no tenant. Write it as acme/${value}.`);
  }
  const isNamed = tool !== undefined && tool !== "*";
  if (isNamed && (server === undefined || server === "*")) {
    report([...at, "tool"], "It needs the name of its server. Set server too.");
  }
}
