import { createHash } from "node:crypto";

const STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 24rem; margin: 15vh auto; padding: 0 1rem }
input, button { font: inherit; box-sizing: border-box; width: 100%; padding: .6rem .8rem; margin-top: .5rem; border-radius: .5rem; border: 1px solid GrayText }
[role=alert] { color: light-dark(#a00, #f99) }`;

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** The policy of the page: a form and its style. A successful log-in redirects to the user's chat. */
export const LOGIN_POLICY: string = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self' http://vitrine.localhost:*; base-uri 'none'; frame-ancestors 'none'`;

/** The page where a user logs in. */
export function loginPage(problem = ""): string {
  const alert = problem && `<p role="alert">${escapeHtml(problem)}</p>`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Log in</title>
<style>${STYLE}</style>
<h1>Log in</h1>
${alert}
<form method="post" action="/login">
<label for="token">Your token for the gateway</label>
<input id="token" name="token" type="password" autocomplete="off" required autofocus>
<button>Log in</button>
</form>
</html>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
