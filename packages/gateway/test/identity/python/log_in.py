"""Logs in with the official Python client, versions 1 and 2, and calls tools.

log_in.py <url> <client id or ""> <tool>…   Prints JSON lines. For each {"authorize": …} it reads the address that the
user was sent back to.
"""

import asyncio
import json
import sys
from urllib.parse import parse_qs, urlparse

from mcp.client.auth import OAuthClientProvider
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata

try:
    import httpx2 as httpx
    from mcp import Client
    from mcp.shared.auth import AuthorizationCodeResult
except ImportError:
    import httpx

    Client = AuthorizationCodeResult = None

REDIRECT = "http://127.0.0.1:1/callback"
url, client_id, *names = sys.argv[1:]


def say(**line):
    print(json.dumps(line), flush=True)


class Memory:
    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


async def send_to(address):
    say(authorize=address)


async def sent_back():
    line = await asyncio.to_thread(sys.stdin.readline)
    query = {name: values[0] for name, values in parse_qs(urlparse(line.strip()).query).items()}
    if AuthorizationCodeResult is None:
        return query["code"], query.get("state")
    return AuthorizationCodeResult(code=query["code"], state=query.get("state"), iss=query.get("iss"))


async def use(client):
    listed = await client.list_tools()
    say(tools=[tool.name for tool in listed.tools])
    for name in names:
        result = await client.call_tool(name, {"city": "Oslo"})
        say(called=name, failed=bool(getattr(result, "is_error", getattr(result, "isError", False))))


async def main():
    storage = Memory()
    if client_id:
        storage.client = OAuthClientInformationFull(
            client_id=client_id, redirect_uris=[REDIRECT], token_endpoint_auth_method="none"
        )
    provider = OAuthClientProvider(
        server_url=url,
        client_metadata=OAuthClientMetadata(
            client_name="a Python host", redirect_uris=[REDIRECT], token_endpoint_auth_method="none"
        ),
        storage=storage,
        redirect_handler=send_to,
        callback_handler=sent_back,
    )
    async with httpx.AsyncClient(auth=provider, timeout=60) as http:
        transport = streamable_http_client(url, http_client=http)
        if Client is not None:
            async with Client(transport) as client:
                await use(client)
        else:
            async with transport as (reading, writing, _), ClientSession(reading, writing) as session:
                await session.initialize()
                await use(session)
    say(token=storage.tokens.access_token)


asyncio.run(main())
