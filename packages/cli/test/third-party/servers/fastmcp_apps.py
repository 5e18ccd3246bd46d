"""A FastMCP server by its own words for Views, with a tool that the View alone may call."""

from typing import Literal

from fastmcp import FastMCP
from fastmcp.apps import AppConfig, ResourceCSP

mcp = FastMCP("Dice in Python")
URI = "ui://dice/view.html"

HTML = """<!doctype html><html lang="en"><title>Dice</title><p id="p">Waiting</p><button id="b">Again</button><script>
let last = 1;
const waiting = new Map();
const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const ask = (method, params) => new Promise((resolve) => {
  waiting.set(++last, resolve);
  send({ id: last, method, params });
});
const show = ({ isError, content, structuredContent }) => {
  document.getElementById("p").textContent = isError ? content[0].text : structuredContent
    ? structuredContent.rolls.length + " dice, " + structuredContent.colour : "No dice";
};
addEventListener("message", ({ data }) => {
  if ("id" in data && waiting.has(data.id)) waiting.get(data.id)(data.result);
  if (data.method === "ui/notifications/tool-result") show(data.params);
});
document.getElementById("b").onclick = async () =>
  show(await ask("tools/call", { name: "again", arguments: {} }));
ask("ui/initialize", { protocolVersion: "2026-01-26",
  appInfo: { name: "dice", version: "1" }, appCapabilities: {} })
  .then(() => send({ method: "ui/notifications/initialized", params: {} }));
</script></html>"""


@mcp.resource(URI, app=AppConfig(csp=ResourceCSP(connect_domains=[]), prefers_border=True))
def view() -> str:
    return HTML


@mcp.tool(app=AppConfig(resource_uri=URI))
def roll(dice: int, colour: Literal["white", "red"] = "white", loaded: bool | None = None) -> dict:
    """Rolls some dice."""
    return {"rolls": [6 if loaded else 1 + n % 6 for n in range(dice)], "colour": colour}


@mcp.tool(app=AppConfig(resource_uri=URI, visibility=["app"]))
def again() -> dict:
    """Rolls one more, for the View."""
    return {"rolls": [4], "colour": "white"}


if __name__ == "__main__":
    mcp.run(show_banner=False)
