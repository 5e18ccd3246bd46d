// Every command, in the order of the help. A new command is a new file and a new line here.

import { adminCommands } from "./admin-commands.ts";
import { auditCommands } from "./audit-commands.ts";
import type { Command } from "./command.ts";
import { configCheckCommand } from "./config-check.ts";
import { databaseCommands } from "./database-commands.ts";
import { healthCheckCommand } from "./health-check.ts";
import { keyCommands } from "./key-commands.ts";
import { policyCommands } from "./policy-commands.ts";
import { registryCommands } from "./registry-commands.ts";
import { startCommand } from "./start.ts";

export const COMMANDS: readonly Command[] = [
  startCommand,
  configCheckCommand,
  healthCheckCommand,
  ...keyCommands,
  ...policyCommands,
  ...databaseCommands,
  ...auditCommands,
  ...adminCommands,
  ...registryCommands,
];
