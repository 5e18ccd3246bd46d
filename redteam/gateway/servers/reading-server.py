"""Reads JSON as Python programs do and answers with digests of what it read.

`serve` is a stdio MCP server that keeps a digest of each message; its tool `flush` returns them.
`read` prints one digest for each line, of a JSON-RPC response. See fuzz/canonical.ts for the digests.
"""

import hashlib
import json
import re
import struct
import sys
import threading

SURROGATE = re.compile("[\ud800-\udfff]")
OWN = {
    "initialize",
    "server/discover",
    "tools/list",
    "notifications/initialized",
    "notifications/cancelled",
    "ping",
}


def text(value):
    if not value.isascii():
        value = SURROGATE.sub("\ufffd", value)
        return "s%d:%s" % (len(value.encode()), value)
    return "s%d:%s" % (len(value), value)


def canonical(value, out):
    if value is None:
        out.append("n")
    elif value is True:
        out.append("t")
    elif value is False:
        out.append("f")
    elif isinstance(value, str):
        out.append(text(value))
    elif isinstance(value, (int, float)):
        # Adding zero turns -0.0 into 0.0.
        out.append("d" + struct.pack(">d", value + 0.0).hex())
    elif isinstance(value, list):
        out.append("[")
        for item in value:
            canonical(item, out)
        out.append("]")
    else:
        out.append("{")
        if not all(map(str.isascii, value)):
            value = {SURROGATE.sub("\ufffd", key): item for key, item in value.items()}
        for key in sorted(value):
            out.append(text(key))
            canonical(value[key], out)
        out.append("}")


def digest(value):
    out = []
    canonical(value, out)
    return hashlib.md5("".join(out).encode()).hexdigest()


def load(line):
    # As doubles, since that is what the gateway checks.
    return json.loads(line, parse_int=float)


def message_digest(message):
    params = message.get("params")
    params = params if isinstance(params, dict) else {}
    rest = {key: value for key, value in params.items() if key != "_meta"}
    is_request = message.get("id") is not None
    return digest([is_request, message.get("method"), rest, rest.get("name"), rest.get("arguments")])


def response_digest(message):
    kind = "result" if "result" in message else "error"
    payload = message.get(kind)
    if isinstance(payload, dict):
        payload = {k: v for k, v in payload.items() if k not in ("resultType", "_meta")}
    return digest([kind, payload])


def tool(name, visibility, schema):
    return {
        "name": name,
        "inputSchema": schema,
        "annotations": {"readOnlyHint": True},
        "_meta": {"ui": {"visibility": visibility}},
    }


ANY = {"type": "object"}
STRICT = {"type": "object", "additionalProperties": False, "properties": {"note": {"type": "string"}}}
TOOLS = [
    tool("any", ["model", "app"], ANY),
    tool("strict", ["model", "app"], STRICT),
    tool("hidden", ["app"], ANY),
    tool("flush", ["model", "app"], ANY),
    tool("line", ["model", "app"], ANY),
]


def serve():
    digests, lines, last = [], [], []
    for line in sys.stdin.buffer:
        try:
            message = load(line)
        except (ValueError, RecursionError):
            digests.append("unreadable")
            lines.append(line.decode("utf-8", "replace"))
            continue
        method = message.get("method")
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        name = params.get("name")
        result = {"content": []}
        if method == "initialize":
            result = {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "reading-server", "version": "1"},
            }
        elif method == "tools/list":
            result = {"tools": TOOLS}
        elif method == "tools/call" and name == "flush":
            result = {"content": [], "structuredContent": {"digests": digests}}
            digests, lines, last = [], [], lines
        elif method == "tools/call" and name == "line":
            result = {"content": [{"type": "text", "text": last[int(params["arguments"]["at"])]}]}
        elif method not in OWN:
            digests.append(message_digest(message))
            lines.append(line.decode("utf-8", "replace"))
        if message.get("id") is not None:
            number = message["id"]
            number = int(number) if isinstance(number, float) and number.is_integer() else number
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}) + "\n")
            sys.stdout.flush()


def read():
    for line in sys.stdin.buffer:
        try:
            answer = response_digest(load(line))
        except (ValueError, RecursionError):
            answer = "unreadable"
        sys.stdout.write(answer + "\n")
        sys.stdout.flush()


# Deep nesting is part of the fuzz; the main thread's stack is too small for it.
sys.setrecursionlimit(50_000)
threading.stack_size(512 * 1024 * 1024)
worker = threading.Thread(target=serve if sys.argv[1] == "serve" else read)
worker.start()
worker.join()
