"""A LangGraph agent over AG-UI, whose MCP tools show their views in the page.

MCP_SERVERS is a JSON object: the name of each server and its Streamable HTTP address.
"""

import asyncio
import json
import os
import sys

import uvicorn
from ag_ui.core import RunAgentInput
from ag_ui.encoder import EventEncoder
from ag_ui_langgraph import LangGraphAgent
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse
from langchain_core.callbacks import adispatch_custom_event
from langchain_core.messages import SystemMessage
from langchain_mcp_adapters.tools import load_mcp_tools
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import MemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode


# AG-UI puts what the page offers and tells the agent into "ag-ui", which no class attribute can be named.
State = type("State", (MessagesState,), {"__annotations__": {"tools": list, "ag-ui": dict}})


async def send_whole_result(request, handler):
    """LangGraph keeps only the text of a result. The page gets the whole one, for the view."""
    result = await handler(request)
    await adispatch_custom_event(
        "vitrine/result",
        {
            "toolCallId": request.runtime.tool_call_id,
            "result": result.model_dump(mode="json", by_alias=True, exclude_none=True),
        },
    )
    return result


async def tools_of(server: str, url: str) -> list:
    """The tools that the model may see, with the name of their server."""
    tools = await load_mcp_tools(
        None,
        connection={"transport": "streamable_http", "url": url},
        tool_interceptors=[send_whole_result],
        server_name=server,
    )
    visible = []
    for tool in tools:
        ui = ((tool.metadata or {}).get("_meta") or {}).get("ui") or {}
        if "model" in ui.get("visibility", ["model", "app"]):
            tool.name = f"{server}__{tool.name}"
            visible.append(tool)
    return visible


async def build_graph():
    servers = json.loads(os.environ["MCP_SERVERS"])
    mcp_tools = [tool for name, url in servers.items() for tool in await tools_of(name, url)]
    names = {tool.name for tool in mcp_tools}
    model = ChatOpenAI(
        model=os.environ.get("MODEL", "scripted"),
        base_url=os.environ["MODEL_URL"],
        api_key=os.environ.get("MODEL_KEY", "none"),
        streaming=True,
    )

    async def chat(state: State, config):
        page = state.get("ag-ui") or {}
        offered = [
            {
                "type": "function",
                "function": {
                    "name": tool["name"],
                    "description": tool["description"],
                    "parameters": tool.get("parameters") or {"type": "object", "properties": {}},
                },
            }
            for tool in (as_dict(item) for item in page.get("tools") or [])
            if tool["name"] not in names
        ]
        context = "\n".join(as_dict(item)["value"] for item in page.get("context") or [])
        prompt = [SystemMessage(context)] if context else []
        answer = await model.bind_tools([*mcp_tools, *offered]).ainvoke(
            [*prompt, *state["messages"]], config
        )
        return {"messages": [answer]}

    def next_node(state: State) -> str:
        calls = getattr(state["messages"][-1], "tool_calls", None) or []
        # The page answers the calls of its own tools, and starts the next run.
        return "tools" if calls and all(call["name"] in names for call in calls) else END

    graph = StateGraph(State)
    graph.add_node("chat", chat)
    graph.add_node("tools", ToolNode(mcp_tools))
    graph.add_edge(START, "chat")
    graph.add_conditional_edges("chat", next_node, ["tools", END])
    graph.add_edge("tools", "chat")
    return graph.compile(checkpointer=MemorySaver())


def as_dict(value) -> dict:
    return value if isinstance(value, dict) else value.model_dump(by_alias=True)


app = FastAPI()
agent = LangGraphAgent(name="trips", graph=asyncio.run(build_graph()))


@app.post("/agent")
async def run_agent(run: RunAgentInput, request: Request):
    encoder = EventEncoder(accept=request.headers.get("accept"))
    events = until_disconnected(request, agent.clone().run(run))
    return StreamingResponse(
        (encoder.encode(event) async for event in events),
        media_type=encoder.get_content_type(),
    )


@app.get("/agent/health")
def health():
    return {"status": "ok"}


async def until_disconnected(request: Request, events):
    """Ends the run when the user stops it. Without this, a tool that is running would go on."""
    queue = asyncio.Queue()

    async def fill():
        try:
            async for event in events:
                await queue.put(event)
        finally:
            queue.put_nowait(None)

    running = asyncio.create_task(fill())
    try:
        while True:
            try:
                event = await asyncio.wait_for(queue.get(), timeout=0.5)
            except asyncio.TimeoutError:
                if await request.is_disconnected():
                    return
                continue
            if event is None:
                return
            yield event
    finally:
        running.cancel()


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
