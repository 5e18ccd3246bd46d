"""FastMCP, which is another project than the SDK's class of that name; versions 3 and 4."""

import json
import sys

import anyio
from fastmcp import Context, FastMCP

VIEW = "ui://interop/view.html"
cancelled: list[str] = []
mcp = FastMCP("interop")


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


way = sys.argv[1]
if way == "stdio":
    mcp.run(show_banner=False)
else:
    mcp.run(way, host="127.0.0.1", port=int(sys.argv[2]), show_banner=False)
