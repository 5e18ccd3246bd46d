"""The official Python SDK, version 1."""

import json
import sys

import anyio
from mcp.server.fastmcp import Context, FastMCP

VIEW = "ui://interop/view.html"
cancelled: list[str] = []
way = sys.argv[1]
port = int(sys.argv[2]) if len(sys.argv) > 2 else 0
mcp = FastMCP("interop", port=port)


@mcp.tool(meta={"ui": {"resourceUri": VIEW}})
def show(text: str) -> str:
    """Has a View."""
    return text


@mcp.resource(VIEW, mime_type="text/html;profile=mcp-app")
def view() -> str:
    return "<!doctype html><title>interop</title>"


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


mcp.run({"stdio": "stdio", "sse": "sse", "http": "streamable-http"}[way])
