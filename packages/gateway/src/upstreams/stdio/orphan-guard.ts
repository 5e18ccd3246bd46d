// A gateway that is killed cannot end its children. Most end by themselves when their input closes; for the
// others a tiny process waits for the same sign and ends their process groups. There is one for the whole
// gateway. It is a shell because that takes a megabyte; it is told numbers and nothing else.
//
// A gateway that is stopped, by a signal or with its machine, cannot end them either, and does not know that
// it should. Where others may take over what it had, it says at each renewal of its lease for how many seconds
// that holds: if the time passes without another word, the groups are ended.

import { type ChildProcess, spawn } from "node:child_process";

// The shell of POSIX reads without a time limit; `timeout` lends it one.
const SCRIPT = `
groups=" "
limit=
end() {
  for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
  groups=" "
}
while :; do
  if [ "$limit" ]; then
    line=$(timeout "$limit" /bin/sh -c 'read -r line && printf %s "$line"')
    case $? in
      0) ;;
      124) end; limit=; continue ;;
      *) break ;;
    esac
  else
    read -r line || break
  fi
  sign=\${line%% *}
  number=\${line#* }
  case $sign in
    +) groups="$groups$number " ;;
    -) case $groups in *" $number "*) groups="\${groups%% $number *} \${groups#* $number }" ;; esac ;;
    =) limit=$number ;;
  esac
done
[ "$groups" = " " ] && exit
sleep 1
end
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

/** Has all groups ended unless this is called again within so many milliseconds. */
export function beatGuard(time: number): void {
  // Nothing to end, nothing to watch over: the first group brings the guard.
  if (groups.size > 0) write(`= ${Math.max(1, Math.ceil(time / 1000))}\n`);
}
