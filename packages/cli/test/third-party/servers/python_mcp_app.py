"""A View by the official Python SDK, as its own documentation writes one."""

from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer

apps = Apps()
URI = "ui://weather/app.html"

HTML = """<!doctype html><html lang="en"><title>Weather</title><p id="p">Waiting</p><script>
const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
addEventListener("message", ({ data }) => {
  if (data.id === 1) send({ method: "ui/notifications/initialized", params: {} });
  if (data.method === "ui/notifications/tool-result")
    document.getElementById("p").textContent = data.params.content[0]?.text ?? "No answer";
});
send({ id: 1, method: "ui/initialize", params: { protocolVersion: "2026-01-26",
  appInfo: { name: "weather", version: "1" }, appCapabilities: {} } });
</script></html>"""


@apps.tool(resource_uri=URI, description="Tells the weather of a city.")
def weather(city: str, days: int | None = None) -> str:
    return f"{city}: sunny for {days or 1} day(s)"


apps.add_html_resource(URI, HTML, prefers_border=True)

if __name__ == "__main__":
    MCPServer("Weather by the official SDK", extensions=[apps]).run()
