import { readFilter } from "../audit-command.ts";
import { openArchiveSource, openConfiguredSource } from "../audit-source.ts";
import { OperatorError } from "../operator-error.ts";
import { policyCheck, policyExplain, policyTest } from "../policy-command.ts";
import { policyDryRun } from "../policy-dry-run.ts";
import { type Command, type CommandContext, defineCommand, loadGiven } from "./command.ts";

const POLICIES = { policies: { type: "string" } } as const;

/** `policy check`, `policy explain`, `policy test` */
export const policyCommands: readonly Command[] = [
  defineCommand({
    name: "policy check",
    usage: ["policy check --config gateway.yaml"],
    notes: ["--policies FOLDER uses another folder of policies."],
    options: POLICIES,
    run: async (given, context) => policyCheck(await folderOf(given, context), context.out),
  }),
  defineCommand({
    name: "policy explain",
    usage: [
      "policy explain --config gateway.yaml --user TENANT/NAME --server NAME --tool NAME",
      "    [--groups A,B] [--arguments JSON] [--caller view] [--hints readOnly] [--unapproved]",
    ],
    notes: ["policy explain prints what the policies decide about a call, and which of them."],
    options: {
      ...POLICIES,
      user: { type: "string" },
      server: { type: "string" },
      tool: { type: "string" },
      groups: { type: "string" },
      arguments: { type: "string" },
      caller: { type: "string" },
      hints: { type: "string" },
      unapproved: { type: "boolean", default: false },
    },
    run: async (given, context) => {
      const about = { ...given, approved: !given.unapproved };
      return policyExplain(await folderOf(given, context), about, context.out);
    },
  }),
  defineCommand({
    name: "policy test",
    usage: ["policy test FILE --config gateway.yaml"],
    notes: ["policy test runs the calls of a file."],
    options: POLICIES,
    words: 1,
    run: async (given, context, [file]) => {
      if (file === undefined) {
        throw new OperatorError("usage", "Name the file of calls: policy test calls.yaml");
      }
      return policyTest(await folderOf(given, context), file, context.out);
    },
  }),
  defineCommand({
    name: "policy dry-run",
    usage: [
      "policy dry-run --config gateway.yaml [--policies FOLDER] [--since 7d] [--until TIME]",
      "    [--tenant NAME] [--user NAME] [--server NAME] [--tool NAME]",
    ],
    notes: [
      "policy dry-run tries policies on the calls in the audit log. Its exit code is 1 if some would change.",
    ],
    options: {
      ...POLICIES,
      archive: { type: "string" },
      since: { type: "string" },
      until: { type: "string" },
      tenant: { type: "string" },
      user: { type: "string" },
      server: { type: "string" },
      tool: { type: "string" },
    },
    run: async (given, context) => {
      const folder = await folderOf(given, context);
      const filter = readFilter(given);
      const source = await (given.archive === undefined
        ? openConfiguredSource(await loadGiven(given, context))
        : openArchiveSource(given.archive, undefined));
      try {
        return await policyDryRun({ source, folder, filter }, context.out);
      } finally {
        await source.close();
      }
    },
  }),
];

async function folderOf(
  given: { config?: string | undefined; policies?: string | undefined },
  context: CommandContext,
): Promise<string> {
  const folder = given.policies ?? (await loadGiven(given, context)).config.policy?.folder;
  if (folder !== undefined) return folder;
  throw new OperatorError("usage", "The configuration has no policy.folder. Pass --policies.");
}
