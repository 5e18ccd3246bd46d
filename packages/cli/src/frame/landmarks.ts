// Lines of a view that a problem without a location is about.

/** Where a view is created or mounted. */
export const STARTS: RegExp =
  /\bnew App\s*\(|\buseApp\s*\(|\bcreateRoot\s*\(|\bcreateApp\s*\(|\bmount\s*\(|<script/;

/** Where a framework draws the view. */
export const MOUNTS: RegExp = /\b(?:createRoot|hydrateRoot|createApp|mount)\s*\(/;

/** Where it connects to the host. */
export const CONNECTS: RegExp = /\bconnect\s*\(/;

/** Where it receives its tool's result. */
export const RESULTS: RegExp = /\bontoolresult\b|\buseToolResult\s*\(/;
