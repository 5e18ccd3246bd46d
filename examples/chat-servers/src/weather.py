"""A server of the official Python SDK over Streamable HTTP, with a small view: weather.py <port>."""

import sys

from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer

apps = Apps()
URI = "ui://weather/forecast.html"

HTML = """<!doctype html><html lang="en"><meta name="color-scheme" content="light dark">
<title>Weather</title>
<style>body { font: 16px/1.5 system-ui, sans-serif; margin: 0; padding: 12px }</style>
<p id="forecast">Waiting</p><script>
const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const report = () => send({ method: "ui/notifications/size-changed",
  params: { height: document.documentElement.getBoundingClientRect().height } });
addEventListener("message", ({ source, data }) => {
  if (source !== parent) return;
  if (data.id === 1) { send({ method: "ui/notifications/initialized", params: {} }); report(); }
  if (data.method === "ui/resource-teardown") send({ id: data.id, result: {} });
  if (data.method === "ui/notifications/tool-result") {
    document.getElementById("forecast").textContent = data.params.content[0]?.text ?? "No answer";
    report();
  }
});
send({ id: 1, method: "ui/initialize", params: { protocolVersion: "2026-01-26",
  appInfo: { name: "weather", version: "1" }, appCapabilities: {} } });
</script></html>"""


@apps.tool(resource_uri=URI, description="Returns the weather of a city for some days.")
def get_weather(city: str, days: int | None = None) -> str:
    return f"{city}: sunny for {days or 1} day(s), 21 °C"


apps.add_html_resource(URI, HTML, prefers_border=True)

if __name__ == "__main__":
    server = MCPServer("weather", extensions=[apps])
    server.run("streamable-http", port=int(sys.argv[1]))
