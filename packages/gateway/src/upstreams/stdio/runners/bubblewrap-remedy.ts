import { existsSync } from "node:fs";

const NO_NAMESPACES =
  /namespace|setting up uid map|mount proc|loopback|RTM_NEWADDR|Operation not permitted|Permission denied/i;

/** Whether the gateway itself runs in something that restricts it. */
export interface Confinement {
  isPod: boolean;
  isContainer: boolean;
}

/** What an operator can do about the message of a bubblewrap that fails. */
export function bubblewrapRemedy(
  said: string,
  { isPod, isContainer }: Confinement = findConfinement(),
): string {
  if (/unknown option/i.test(said)) return "It needs bubblewrap 0.8 or later.";
  if (!NO_NAMESPACES.test(said)) return "See docs/isolation.md, When bubblewrap doesn't start.";
  if (isPod)
    return "The gateway runs in a pod, which usually can't create namespaces. Use the runner kubernetes, or run the server behind a url (docs/isolation.md, When bubblewrap doesn't start).";
  if (isContainer)
    return "The gateway runs in a container, which usually can't create namespaces. Run the gateway on the machine itself, use the runner container or kubernetes, or run the server behind a url (docs/isolation.md, When bubblewrap doesn't start).";
  return "Unprivileged user namespaces are probably disabled. On Ubuntu 24.04 and later, allow them for bwrap with an AppArmor profile; elsewhere see sysctl user.max_user_namespaces (docs/isolation.md, When bubblewrap doesn't start).";
}

function findConfinement(): Confinement {
  return {
    isPod: process.env.KUBERNETES_SERVICE_HOST !== undefined,
    isContainer: existsSync("/.dockerenv") || existsSync("/run/.containerenv"),
  };
}
