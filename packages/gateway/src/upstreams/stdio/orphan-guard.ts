// A gateway that is killed cannot end its children. Most end by themselves when their input closes; for the
// others a tiny process waits for the same sign and ends their process groups. There is one for the whole
// gateway. It is a shell because that takes a megabyte; it is told numbers and nothing else.

import { type ChildProcess, spawn } from "node:child_process";

const SCRIPT = `
groups=" "
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
[ "$groups" = " " ] && exit
sleep 1
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
`;

const groups = new Set<number>();
let guard: ChildProcess | undefined;

function write(text: string): void {
  guard?.stdin?.write(text);
}

function start(): void {
  const started = spawn("/bin/sh", ["-c", SCRIPT], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: "/usr/bin:/bin" },
  });
  guard = started;
  const gone = (): void => {
    if (guard === started) guard = undefined;
  };
  started.on("error", gone);
  started.on("exit", gone);
  started.stdin?.on("error", gone);
  // It must not keep the gateway running; it is there for the opposite case.
  started.unref();
  (started.stdin as unknown as { unref?(): void } | null)?.unref?.();
  for (const group of groups) write(`+ ${group}\n`);
}

/** Has the group ended if this process dies. The undo is for a group that has ended. */
export function guardGroup(group: number): () => void {
  groups.add(group);
  if (guard) write(`+ ${group}\n`);
  else start();
  return () => {
    if (groups.delete(group)) write(`- ${group}\n`);
  };
}
