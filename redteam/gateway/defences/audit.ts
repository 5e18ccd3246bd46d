import type { GatewayDefence } from "../defence.ts";

const S10 = "packages/gateway/test/security/s10-redaction.process.test.ts";
const S11 = "packages/gateway/test/security/s11-anchor.process.test.ts";
const S25 = "packages/gateway/test/security/s25-log.process.test.ts";
const S25_CLI = "packages/cli/test/security/s25-terminal.process.test.ts";
const RECEIPTS = "packages/gateway/test/edge/receipts.process.test.ts";
const SINKS = "packages/gateway/test/audit/sinks/sinks.process.test.ts";
const S7 = "packages/gateway/test/security/s7-audit.process.test.ts";

/** Defences of the audit log: what a flood, a forger and a reader of it can do. */
export const AUDIT_DEFENCES: readonly GatewayDefence[] = [
  {
    name: "gateway-audit-denial-counts",
    edits: [
      {
        file: "gateway/src/audit/audit.ts",
        from: "if (isDenial && !denials.take(",
        to: "if (false && isDenial && !denials.take(",
      },
    ],
    noticedBy: [`${S7}#S7: refused calls are counted`],
  },
  {
    name: "gateway-audit-denial-kinds",
    edits: [
      {
        file: "gateway/src/audit/denials.ts",
        from: "!isShort && ofUser < MOST_OF_USER && denials.full < MOST_OF_TENANT",
        to: "true",
      },
    ],
    noticedBy: [`${S7}#S7: many users of a tenant`],
  },
  {
    name: "gateway-audit-tenant-room",
    edits: [
      {
        file: "gateway/src/audit/queue-room.ts",
        from: "return tenant.bytes <= free && user.bytes <= free * USER_PART;\n  }\n\n  /** Whether the end",
        to: "return free >= 0;\n  }\n\n  /** Whether the end",
      },
      {
        file: "gateway/src/audit/queue-room.ts",
        from: "if (tenant.bytes === 0) return this.#total <= 2 * this.#most;",
        to: "",
      },
    ],
    noticedBy: [`${S7}#S7: a neighbour's calls`],
  },
  {
    name: "gateway-audit-user-room",
    edits: [
      {
        file: "gateway/src/audit/queue-room.ts",
        from: "const USER_PART = 1 / 4;",
        to: "const USER_PART = 1;",
      },
    ],
    noticedBy: [`${S7}#S7: one user doesn't take`],
  },
  {
    name: "gateway-audit-dropped-finding",
    edits: [
      {
        file: "gateway/src/audit/chain-check.ts",
        from: 'this.#find("dropped", place, {',
        to: "void ({",
      },
    ],
    noticedBy: [`${S7}#S7: a log that dropped records`],
  },
  {
    name: "gateway-audit-missing-heads",
    edits: [
      {
        file: "gateway/src/audit/verify.ts",
        from: "if (!heads || isArchive || steps === 0) return;",
        to: "if (heads || isArchive || steps === 0) return;",
      },
    ],
    noticedBy: [`${S11}#S11: is found by its heads`],
  },
  {
    name: "gateway-audit-head-proof",
    edits: [
      {
        file: "gateway/src/audit/sealed-head.ts",
        from: "return given.length === expected.length && timingSafeEqual(given, expected);",
        to: "return given.length > 0 || timingSafeEqual(expected, expected);",
      },
    ],
    noticedBy: [`${S11}#S11: a head that was changed to fit the cut`],
  },
  {
    name: "gateway-audit-anchor",
    edits: [
      {
        file: "gateway/src/audit/anchor-lines.ts",
        from: "if (head) heads.push(head);",
        to: "if (head) continue;",
      },
    ],
    noticedBy: [`${S11}#S11: is found with an anchor`],
  },
  {
    name: "gateway-audit-anchor-writing",
    edits: [
      {
        file: "gateway/src/service/open-audit.ts",
        from: "await audit.close().finally(() => anchoring?.close());",
        to: "await audit.close();",
      },
    ],
    noticedBy: [`${S11}#S11: puts each head under an address`],
  },
  {
    name: "gateway-audit-recorded-trim",
    edits: [
      {
        file: "gateway/src/audit/verify.ts",
        from: "} else if (firstPlace > trimmedTo) {",
        to: "} else if (firstPlace > Number.MAX_VALUE && trimmedTo > 0) {",
      },
    ],
    noticedBy: [`${S11}#S11: is found unless the gateway itself`],
  },
  {
    name: "gateway-audit-lost-step-named",
    edits: [
      {
        file: "gateway/src/audit/chain-writer.ts",
        from: "return newest ? { epoch: newest.epoch, step: newest.step, hash: newest.hash } : null;",
        to: "return null;",
      },
    ],
    noticedBy: [`${S11}#S11: the gateway's next start`],
  },
  {
    name: "gateway-audit-anchor-place",
    edits: [
      {
        file: "gateway/src/config/rules.ts",
        from: "checkAnchor(config, report);",
        to: "void checkAnchor;",
      },
    ],
    noticedBy: [`${S11}#S11: must be in a place of its own`],
  },
  {
    name: "gateway-audit-denied-schema",
    edits: [
      {
        file: "gateway/src/policy/audit-recorder.ts",
        from: "&& deniedArguments(exchange, link)),\n        schema: tool?.inputSchema,",
        to: "&& deniedArguments(exchange, link)),",
      },
    ],
    noticedBy: [`${S10}#S10: is redacted by the schema`],
  },
  {
    name: "gateway-audit-withheld-arguments",
    edits: [
      {
        file: "gateway/src/policy/audit-recorder.ts",
        from: "if (!tool || !AFTER_ARGUMENTS.has(link)) return { withholdArguments: true };",
        to: "",
      },
    ],
    noticedBy: [`${S10}#S10: is in no record of any link`],
  },
  {
    name: "gateway-audit-misfit-arguments",
    edits: [
      {
        file: "gateway/src/policy/audit-recorder.ts",
        from: "if (!tool || !AFTER_ARGUMENTS.has(link)) return",
        to: "if (!tool) return",
      },
    ],
    noticedBy: [`${S10}#S10: is in no record of any link`],
  },
  {
    name: "gateway-audit-withheld-result",
    edits: [
      {
        file: "gateway/src/audit/record.ts",
        from: "SchemaMarks.of(schema) || SchemaMarks.of(outputSchema)",
        to: "!SchemaMarks",
      },
    ],
    noticedBy: [`${S10}#S10: is in no record of a call that went through`],
  },
  {
    name: "gateway-log-controls",
    edits: [
      {
        file: "gateway/src/observability/log.ts",
        from: "streamWrite: (line) => printableJson(scrubLine(line, scrubber()))",
        to: "streamWrite: (line) => scrubLine(line, scrubber())",
      },
    ],
    noticedBy: [`${S25}#S25: a name that a user chose`],
  },
  {
    name: "gateway-verify-controls",
    edits: [
      {
        file: "gateway/src/service/audit-command.ts",
        from: "printable(line)",
        to: "line",
      },
    ],
    noticedBy: [`${S25}#S25: a forged step of the audit log`],
  },
  {
    name: "gateway-command-controls",
    edits: [
      {
        file: "gateway/src/service/command-line.ts",
        from: "err: (text) => given.err(printableLines(text)),",
        to: "err: given.err,",
      },
    ],
    noticedBy: [`${S25}#S25: a command's words`],
  },
  {
    name: "gateway-readable-log-controls",
    edits: [
      {
        file: "cli/src/gateway/readable-log.ts",
        from: 'return printable(isPlain ? value : (JSON.stringify(value) ?? ""));',
        to: 'return typeof value === "string" ? value : (JSON.stringify(value) ?? "");',
      },
    ],
    noticedBy: [`${S25_CLI}#S25: a user can't forge a line`],
  },
  {
    name: "gateway-cli-report-controls",
    edits: [
      {
        file: "protocol/src/printable.ts",
        from: 'return text.replace(UNSAFE, escaped).replace(COMMAND, "$1\\\\").replace(OLD_COMMAND, "##\\\\");',
        to: "return text;",
      },
    ],
    noticedBy: [`${S25_CLI}#S25: a check of a hostile program`],
  },
  {
    name: "gateway-cli-shell-quotes",
    edits: [
      {
        file: "protocol/src/printable.ts",
        from: `.replaceAll("'", "'\\\\''")`,
        to: "",
      },
    ],
    noticedBy: [`${S25_CLI}#S25: a suggested command`],
  },
  {
    name: "gateway-cli-terminal-controls",
    edits: [
      {
        file: "cli/src/terminal.ts",
        from: "at % 2 === 1 ? part : printableLines(part)",
        to: "at % 2 === 1 ? part : part",
      },
    ],
    noticedBy: [`${S25_CLI}#S25: the terminal itself`],
  },
  {
    name: "gateway-receipts-need-a-ticket",
    edits: [
      {
        file: "gateway/src/edge/receipts.ts",
        from: "if (!ticket) return sendRefusal(reply, NEEDS_TICKET);",
        to: "",
      },
      { file: "gateway/src/edge/receipts.ts", from: "ticket.jti", to: "`$" + "{ticket?.jti}`" },
    ],
    noticedBy: [`${RECEIPTS}#takes no receipts without a view's ticket`],
  },
  {
    name: "gateway-receipts-of-the-ticket",
    edits: [
      {
        file: "gateway/src/policy/receipt.ts",
        from: "actor: { tenant, user, view: ticket?.jti, address },",
        to: 'actor: (receipt as { actor?: AuditEntry["actor"] }).actor ?? { tenant, user, view: ticket?.jti, address },',
      },
      {
        file: "gateway/src/policy/receipt.ts",
        from: "return Object.fromEntries(\n    Object.entries({ kind",
        to: "return Object.fromEntries(\n    Object.entries({ ...(given as object), kind",
      },
    ],
    noticedBy: [`${RECEIPTS}#records receipts as the view of the ticket`],
  },
  {
    name: "gateway-receipts-are-limited",
    edits: [
      { file: "gateway/src/edge/receipt-rate.ts", from: "if (over > 0)", to: "if (over > 1e12)" },
    ],
    noticedBy: [`${RECEIPTS}#limits how many receipts`],
  },
  {
    name: "gateway-syslog-one-message-per-record",
    edits: [
      {
        file: "gateway/src/audit/sinks/syslog-sink.ts",
        from: "toAscii(JSON.stringify(record))",
        to: "JSON.stringify(record).replaceAll('\\\\n', '\\n')",
      },
    ],
    noticedBy: [`${SINKS}#don't start another syslog message`],
  },
];
