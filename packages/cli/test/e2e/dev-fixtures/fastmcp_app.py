"""A FastMCP server with a View, as its authors write one."""

from fastmcp import FastMCP

mcp = FastMCP("Weather in Python")
URI = "ui://weather/view.html"
MIME = "text/html;profile=mcp-app"

HTML = """<!doctype html><html lang="en"><title>Weather</title><p id="p"></p><script>
const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
addEventListener("message", ({ data }) => {
  if (data.id === 1) send({ method: "ui/notifications/initialized", params: {} });
  if (data.method === "ui/notifications/tool-result")
    document.getElementById("p").textContent = data.params.content[0].text;
});
send({ id: 1, method: "ui/initialize", params: { protocolVersion: "2026-01-26",
  appInfo: { name: "weather", version: "1" }, appCapabilities: {} } });
</script></html>"""


@mcp.resource(URI, mime_type=MIME)
def view() -> str:
    return HTML


@mcp.tool(meta={"ui": {"resourceUri": URI}})
def weather(city: str, days: int = 1) -> str:
    """Tells the weather of a city."""
    return f"{city}: sunny for {days} day(s)"


if __name__ == "__main__":
    mcp.run(show_banner=False)
