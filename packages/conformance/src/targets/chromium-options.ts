const UNWANTED = [
  // The address bar's list is a page with a process of its own in every new window.
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  // Of two lists the browser takes the last one: what Playwright leaves out as well.
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
];

/** How Playwright starts Chromium. */
export interface ChromiumOptions {
  args: string[];
  chromiumSandbox: boolean;
}

/**
 * A Chromium without a window and with nothing of its own to say to the network; `without` more features. What it
 * shows are strangers' programs, so it has its sandbox, which Playwright would leave out. As root it cannot start
 * with one, which is how containers and CI run; elsewhere VITRINE_NO_SANDBOX=1 goes without.
 */
export function chromiumOptions(
  without: readonly string[],
  { uid = process.getuid?.(), env = process.env }: { uid?: number; env?: NodeJS.ProcessEnv } = {},
): ChromiumOptions {
  const chromiumSandbox = uid !== 0 && env.VITRINE_NO_SANDBOX !== "1";
  return { args: chromiumSwitches(without), chromiumSandbox };
}

function chromiumSwitches(without: readonly string[]): string[] {
  return [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    `--disable-features=${[...without, ...UNWANTED].join(",")}`,
  ];
}
