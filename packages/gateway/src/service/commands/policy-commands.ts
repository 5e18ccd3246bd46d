import { OperatorError } from "../operator-error.ts";
import { policyCheck, policyExplain, policyTest } from "../policy-command.ts";
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
      "    [--groups A,B] [--arguments JSON] [--caller view] [--hints readOnly]",
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
    },
    run: async (given, context) =>
      policyExplain(await folderOf(given, context), given, context.out),
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
];

async function folderOf(
  given: { config?: string | undefined; policies?: string | undefined },
  context: CommandContext,
): Promise<string> {
  const folder = given.policies ?? (await loadGiven(given, context)).config.policy?.folder;
  if (folder !== undefined) return folder;
  throw new OperatorError("usage", "The configuration has no policy.folder. Pass --policies.");
}
