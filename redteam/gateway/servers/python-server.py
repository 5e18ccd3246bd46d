"""A stdio MCP server on Python's json, as most Python servers are. It writes each message it read to a journal."""

import json
import os
import sys

journal = open(os.environ["JOURNAL"], "a", buffering=1) if "JOURNAL" in os.environ else None


def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def tool(name, visibility):
    properties = {"note": {"type": "string"}, "ms": {"type": "number"}}
    return {
        "name": name,
        "inputSchema": {"type": "object", "additionalProperties": False, "properties": properties},
        "annotations": {"readOnlyHint": True},
        "_meta": {"ui": {"visibility": visibility}},
    }


TOOLS = [
    tool("open", ["model", "app"]),
    tool("hidden", ["app"]),
    tool("never", ["model", "app"]),
]


def answer(method, params):
    if method == "initialize":
        return {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "python-server", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        text = "ran %s with %s" % (params.get("name"), json.dumps(params.get("arguments")))
        return {"content": [{"type": "text", "text": text}]}
    return None


for line in sys.stdin:
    try:
        message = json.loads(line)
    except ValueError:
        continue
    if not isinstance(message, dict):
        continue
    if journal:
        journal.write(json.dumps(message) + "\n")
    params = message.get("params")
    params = params if isinstance(params, dict) else {}
    number = message.get("id")
    method = message.get("method")
    if number is None or (method == "tools/call" and params.get("name") == "never"):
        continue
    result = answer(method, params)
    if result is None:
        send({"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": "unknown"}})
    else:
        send({"jsonrpc": "2.0", "id": number, "result": result})
