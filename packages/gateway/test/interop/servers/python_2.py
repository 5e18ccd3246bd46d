"""The official Python SDK, version 2."""

import json
import sys

import anyio
from mcp.server import MCPServer
from mcp.server.apps import Apps
from mcp.server.mcpserver import Context

VIEW = "ui://interop/view.html"
cancelled: list[str] = []
apps = Apps()


@apps.tool(resource_uri=VIEW, description="Has a View")
def show(text: str) -> str:
    return text


apps.add_html_resource(VIEW, "<!doctype html><title>interop</title>")
mcp = MCPServer("interop", extensions=[apps])


@mcp.tool()
async def count(ctx: Context) -> str:
    """Counts to three."""
    for step in (1, 2, 3):
        await ctx.report_progress(step, 3)
        await anyio.sleep(0.05)
    return "counted"


@mcp.tool()
async def wait(id: str, ctx: Context) -> str:
    """Waits for its end."""
    await ctx.report_progress(1, 2)
    try:
        await anyio.sleep(60)
    except anyio.get_cancelled_exc_class():
        cancelled.append(id)
        raise
    return "never"


@mcp.tool(name="cancelled")
def list_cancelled() -> str:
    """The cancelled calls."""
    return json.dumps(cancelled)


way = sys.argv[1]
if way == "stdio":
    mcp.run()
elif way == "sse":
    mcp.run("sse", port=int(sys.argv[2]))
else:
    mcp.run("streamable-http", port=int(sys.argv[2]))
