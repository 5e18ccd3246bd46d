// What a gateway writes down, and for how long: the audit log, who was turned away, housekeeping.

import { join } from "node:path";
import { type Audit, createAudit } from "../audit/index.ts";
import type { GatewayConfig } from "../config/config.ts";
import type { Engine } from "../engine/index.ts";
import { startAnchoring } from "./anchoring.ts";
import { type DoorBook, openDoorBook } from "./door-book.ts";
import { nodeName } from "./foundations.ts";
import { startHousekeeping } from "./housekeeping.ts";
import type { Keyring } from "./keyring.ts";
import type { Log } from "./log.ts";

/** What is written down. */
export interface Records {
  audit: Audit;
  book: DoorBook;
  /** Goes round once, where it is this process that tidies up. */
  tidy(): void;
  close(): Promise<void>;
}

/** Opens the audit log of a configuration, and what belongs to it. */
export async function openRecords(
  config: GatewayConfig,
  { engine, keyring, log }: { engine: Engine; keyring: Keyring; log: Log },
): Promise<Records> {
  const { keepDays: auditDays, keepBytes: auditBytes } = config.audit;
  const audit = await createAudit({
    engine,
    node: nodeName(config.engine.node),
    ...config.audit,
    journal: journalOf(config),
    key: keyring.audit,
    digestKey: keyring.audit,
    onProblem: (error) =>
      error
        ? log.error({ code: error.code, reason: error.message }, "audit log is not stored")
        : log.info("audit log is stored again"),
  });
  const book = openDoorBook({ audit, log });
  const keeping = { auditDays, auditBytes, documentDays: config.documents.keepDays };
  const house = config.cluster.roles.includes("archiver")
    ? startHousekeeping({ engine, audit, log, keeping })
    : undefined;
  const { anchor } = config.audit;
  const anchoring = anchor && startAnchoring({ ...anchor, audit, log });
  return {
    audit,
    book,
    tidy: () => void house?.run(),
    close: async () => {
      book.close();
      await house?.close();
      // The last step of this life is anchored too, also if the log could not be closed in good order.
      await audit.close().finally(() => anchoring?.close());
    },
  };
}

/** In the folder of the engine, or of what is on its way to one that is elsewhere. */
function journalOf({ engine: { folder } }: GatewayConfig): string | undefined {
  return folder === undefined ? undefined : join(folder, "audit-journal");
}
