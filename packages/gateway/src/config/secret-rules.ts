// Checks where a gateway's secrets come from. A gateway in mode dev, with one developer, isn't checked.

import { statSync } from "node:fs";
import { type GatewayConfig, isSharedGateway } from "./config.ts";
import type { PlacedProblem } from "./problem.ts";
import { type Path, pathText } from "./schema.ts";
import { checkSecretFile, SecretFileError } from "./secret-file.ts";

/** Where the secrets of a configuration come from. */
export interface SecretSources {
  file: string;
  exposed: readonly { at: Path; name: string }[];
  inline: readonly Path[];
}

/** Rejects secrets that other processes on this machine could read. */
export function checkSecrets(
  config: GatewayConfig,
  { file, exposed, inline }: SecretSources,
): PlacedProblem[] {
  if (!isSharedGateway(config)) return [];
  const problemAt = (at: Path, message: string): PlacedProblem => ({
    at,
    path: pathText(at),
    message,
  });
  const problems = exposed.map(({ at, name }) =>
    problemAt(
      at,
      `The variable ${name} would stay readable in /proc for as long as the gateway runs. Write the secret to a file of mode 600 and use "\${file:/path/to/it}" here.`,
    ),
  );
  const readable = inline.filter((at) => !isPublic(at));
  if (readable.length > 0 && (statSync(file).mode & 0o007) !== 0) {
    const message = `The secret is in a file that every user of this machine can read. Run: chmod 640 ${file}, or move the secret to a separate file and use "\${file:/path/to/it}" here.`;
    problems.push(...readable.map((at) => problemAt(at, message)));
  }
  const { login, tls } = config.engine;
  const files: [Path, string | undefined][] = [
    [["engine", "login", "credsFile"], login?.credsFile],
    [["engine", "tls", "keyFile"], tls?.keyFile],
  ];
  for (const [at, path] of files) {
    const message = path && problemOf(path);
    if (message) problems.push(problemAt(at, message));
  }
  return problems;
}

/**
 * Most of a server's variables, such as LOG_LEVEL, aren't secrets, and the server's own process has them
 * anyway.
 */
function isPublic(at: Path): boolean {
  return at[0] === "servers" && at[2] === "env";
}

function problemOf(path: string): string | undefined {
  try {
    checkSecretFile(path);
    return undefined;
  } catch (error) {
    if (!(error instanceof SecretFileError)) throw error;
    return error.message;
  }
}
