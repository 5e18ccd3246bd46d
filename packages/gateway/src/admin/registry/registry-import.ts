import { stringify } from "yaml";
import { AdminError } from "../admin-error.ts";
import type { RegistryPackage, RegistryRemote, RegistryServer } from "./registry-server.ts";

/** An entry for `servers:` in a configuration. */
export interface ImportedServer {
  /** The name in the configuration. */
  id: string;
  name: string;
  version: string;
  /** The text to add to the configuration. */
  yaml: string;
  warnings: string[];
}

/**
 * The configuration of a registry's server. Only its address or its package with the exact version is taken
 * over: never arguments, values of headers or variables, which a third party wrote.
 */
export function importServer(server: RegistryServer): ImportedServer {
  const { name, version, status, remotes, packages } = server;
  if (status === "deleted") {
    throw new AdminError("conflict", `"${name}" ${version} was deleted from the registry.`);
  }
  const [remote] = remotes;
  const [program] = packages;
  const found = remote ? fromRemote(remote) : program && fromPackage(program);
  if (!found) {
    const text = `"${name}" ${version} has neither an https address nor an npm, PyPI or OCI package with an exact version.`;
    throw new AdminError("conflict", text);
  }
  const warnings = [
    ...(status === "deprecated" ? [`"${name}" is deprecated in the registry.`] : []),
    ...found.warnings,
  ];
  const id = (name.split("/")[1] as string).toLowerCase().replace(/[^a-z0-9-]+/g, "-");
  // Its tools as they are at the first start are trusted; later ones wait for an operator.
  const entry = { ...found.entry, toolChanges: "hold" };
  const text = stringify({ servers: { [id]: entry } });
  const comments = [`From the MCP registry: ${name} ${version}`, ...warnings];
  const yaml = `${comments.map((line) => `# ${line}\n`).join("")}${text}`;
  return { id, name, version, yaml, warnings };
}

interface Entry {
  entry: Record<string, unknown>;
  warnings: string[];
}

function fromRemote({ type, url, headers }: RegistryRemote): Entry {
  return {
    entry: { url, ...(type === "sse" && { transport: "sse" }) },
    warnings:
      headers.length === 0
        ? []
        : [`It needs headers, which you have to set: ${headers.join(", ")}.`],
  };
}

function fromPackage(program: RegistryPackage): Entry {
  const { type, identifier, version, variables } = program;
  const commands = {
    npm: ["npx", "--yes", `${identifier}@${version}`],
    pypi: ["uvx", `${identifier}@${version}`],
    oci: ["docker", "run", "--rm", "--interactive", `${identifier}:${version}`],
  };
  const isolation =
    type === "oci" ? [] : ["It is a program: run it with isolation (docs/isolation.md)."];
  const needed =
    variables.length === 0
      ? []
      : [`It needs variables, which you have to set in env: ${variables.join(", ")}.`];
  const left =
    program.arguments === 0
      ? []
      : [`The registry lists ${program.arguments} arguments, which aren't taken over.`];
  return { entry: { command: commands[type] }, warnings: [...isolation, ...needed, ...left] };
}
