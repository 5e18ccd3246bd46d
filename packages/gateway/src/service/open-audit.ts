// Opens the audit log of a gateway, the log of rejected connections, and retention.

import { join } from "node:path";
import { type Audit, createAudit } from "../audit/index.ts";
import type { GatewayConfig } from "../config/config.ts";
import type { Engine } from "../engine/index.ts";
import { type AdmissionLog, openAdmissionLog } from "../observability/admission-log.ts";
import type { Log } from "../observability/log.ts";
import { startAnchoring } from "./audit-anchor.ts";
import type { Keyring } from "./keyring.ts";
import type { LiveSettings } from "./live-settings.ts";
import { nodeName } from "./open-parts.ts";
import { startHousekeeping } from "./retention.ts";

/** The opened logs. */
export interface Records {
  audit: Audit;
  book: AdmissionLog;
  /** Deletes expired data once, if this process does that. */
  deleteExpired(): void;
  close(): Promise<void>;
}

/** Opens the audit log of a configuration and its related parts. */
export async function openRecords(
  config: GatewayConfig,
  {
    engine,
    keyring,
    log,
    live,
  }: { engine: Engine; keyring: Keyring; log: Log; live?: Pick<LiveSettings, "anchorToken"> },
): Promise<Records> {
  const { keepDays: auditDays, keepBytes: auditBytes } = config.audit;
  const audit = await createAudit({
    engine,
    node: nodeName(config.engine.node),
    ...config.audit,
    journal: journalOf(config),
    keys: keyring.audit,
    ...(keyring.audit[0] && { digestKey: keyring.audit[0].secret }),
    onProblem: (error) =>
      error
        ? log.error({ code: error.code, reason: error.message }, "audit records can't be stored")
        : log.info("audit records are being stored again"),
  });
  const book = openAdmissionLog({ audit, log });
  const retention = { auditDays, auditBytes, documentDays: config.documents.keepDays };
  const house = config.cluster.roles.includes("archiver")
    ? startHousekeeping({ engine, audit, log, retention })
    : undefined;
  const { anchor } = config.audit;
  const anchoring =
    anchor &&
    startAnchoring({ ...anchor, token: () => live?.anchorToken ?? anchor.token, audit, log });
  return {
    audit,
    book,
    deleteExpired: () => void house?.run(),
    close: async () => {
      book.close();
      await house?.close();
      // Anchors the last step of this run, even if closing the log failed.
      await audit.close().finally(() => anchoring?.close());
    },
  };
}

/** In the engine's folder, or in the folder for records that wait for a remote engine. */
function journalOf({ engine: { folder } }: GatewayConfig): string | undefined {
  return folder === undefined ? undefined : join(folder, "audit-journal");
}
