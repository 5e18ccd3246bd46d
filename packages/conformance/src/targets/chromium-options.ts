const UNWANTED = [
  // The address bar's list is a page with its own process in every new window.
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  // Of two lists the browser uses the last one; Playwright leaves these out as well.
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
 * A headless Chromium without network traffic of its own; `without` more features. It shows untrusted
 * programs, so its sandbox is on, which Playwright would turn off. As root it can't start with one,
 * which is how containers and CI run; elsewhere VITRINE_NO_SANDBOX=1 turns it off.
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
