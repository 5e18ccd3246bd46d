// A killed gateway can't end its child processes. Most end when their input closes. For the others, a small
// guard process waits for the same signal and kills their process groups. One guard serves the whole gateway.
// It is a shell script because that needs only a megabyte, and its input is only numbers.
//
// A gateway that is suspended, by a signal or with its machine, can't end them either. If other gateways may
// take over its servers, it sends the guard a time limit in seconds at each lease renewal. If the limit
// passes without another message, the guard kills the groups.

import { type ChildProcess, spawn } from "node:child_process";

// `read` in a POSIX shell has no time limit, so `timeout` provides one.
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
  const onExit = (): void => {
    if (guard === started) guard = undefined;
  };
  started.on("error", onExit);
  started.on("exit", onExit);
  started.stdin?.on("error", onExit);
  // The guard must not keep the gateway running.
  started.unref();
  (started.stdin as unknown as { unref?(): void } | null)?.unref?.();
  for (const group of groups) write(`+ ${group}\n`);
}

/** Kills the group if this process dies. Call the returned function when the group has ended. */
export function guardGroup(group: number): () => void {
  groups.add(group);
  if (guard) write(`+ ${group}\n`);
  else start();
  return () => {
    if (groups.delete(group)) write(`- ${group}\n`);
  };
}

/** Kills all groups unless this is called again within this many milliseconds. */
export function beatGuard(time: number): void {
  // The guard starts with the first group; without one there is nothing to do.
  if (groups.size > 0) write(`= ${Math.max(1, Math.ceil(time / 1000))}\n`);
}
