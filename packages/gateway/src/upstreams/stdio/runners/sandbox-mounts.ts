import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { UpstreamError } from "../../upstream.ts";
import { isInside, SYSTEM_FOLDERS } from "./program-files.ts";

// Settings that programs read. Nothing here is secret or names users of the machine.
const ETC = [
  ...["alternatives", "ca-certificates", "crypto-policies", "fonts", "gai.conf", "ld.so.cache"],
  ...["ld.so.conf", "ld.so.conf.d", "localtime", "mime.types", "pki/ca-trust", "pki/tls/certs"],
  ...["protocols", "services", "ssl/cert.pem", "ssl/certs", "ssl/openssl.cnf", "timezone"],
].map((name) => `/etc/${name}`);

/** Paths of the machine in a sandbox. */
export interface MountOptions {
  readOnly: readonly string[];
  writable: readonly string[];
  /** The gateway's own files. They are replaced by empty ones wherever a mount would show them. */
  hidden: readonly string[];
}

/** Arguments of bubblewrap for the system's folders. */
export function systemMounts(): string[] {
  const folders = SYSTEM_FOLDERS.filter((folder) => existsSync(folder)).flatMap((folder) =>
    lstatSync(folder).isSymbolicLink()
      ? ["--symlink", readlinkSync(folder), folder]
      : ["--ro-bind", folder, folder],
  );
  return [...folders, ...ETC.flatMap((path) => ["--ro-bind-try", path, path])];
}

/** Arguments of bubblewrap for a program's own paths. Throws an `UpstreamError`. */
export function ownMounts({ readOnly, writable, hidden }: MountOptions): string[] {
  const mount = (flag: string, path: string): string[] => {
    checkMount(path, hidden);
    return [flag, path, path];
  };
  // Outer folders first, because a later mount covers what is inside it.
  const inOrder = (paths: readonly string[]): string[] => [...new Set(paths)].sort();
  const mounted = [
    ...inOrder(readOnly).flatMap((path) => mount("--ro-bind", path)),
    ...inOrder(writable).flatMap((path) => mount("--bind", path)),
  ];
  const covers = [...readOnly, ...writable].flatMap((given) => {
    const real = realpathSync(given);
    return outermost(resolved(hidden)).flatMap((path) =>
      isInside(path, real) ? cover(path, given + path.slice(real.length)) : [],
    );
  });
  return [...mounted, ...covers];
}

/** Without paths inside another one: nothing can be mounted in a folder that is covered. */
function outermost(paths: readonly string[]): string[] {
  const all = [...new Set(paths)];
  return all.filter((path) => !all.some((other) => other !== path && isInside(path, other)));
}

function cover(path: string, at: string): string[] {
  return statSync(path).isDirectory()
    ? ["--perms", "0500", "--tmpfs", at, "--remount-ro", at]
    : ["--ro-bind", "/dev/null", at];
}

const NEVER = ["/", "/proc", "/sys", "/dev"];

/** Throws an `UpstreamError` for a path that no server may see. */
export function checkMount(path: string, hidden: readonly string[]): void {
  const fail = (why: string): never => {
    throw new UpstreamError("crashed", `${path} can't be shown to an isolated server: ${why}`);
  };
  if (!existsSync(path)) fail("it doesn't exist. Correct readOnly or writable.");
  const real = realpathSync(path);
  if (NEVER.includes(real)) fail("it's more than a server may see. Name the folder it needs.");
  if (resolved(hidden).some((folder) => isInside(real, folder))) {
    fail("it belongs to the gateway. Move the server's files to a folder of their own.");
  }
}

/** A hidden path inside a folder. */
export function findHidden(folder: string, hidden: readonly string[]): string | undefined {
  const real = realpathSync(folder);
  return resolved(hidden).find((path) => isInside(path, real));
}

function resolved(paths: readonly string[]): string[] {
  return paths.filter((path) => existsSync(path)).map((path) => realpathSync(path));
}
