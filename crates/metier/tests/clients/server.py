"""A server made with PyPI's `mcp`, for metier to be a client of.

    python server.py stdio
    python server.py http PORT

Its lists come in pages of two.
"""

import sys

import anyio
import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

PAGE = 2
ANYTHING = {"type": "object"}
NOTES = {f"note://{number}": f"This is note {number}." for number in range(1, 4)}

# Set when a call of `wait` was cancelled.
cancelled = anyio.Event()


def page(items, params):
    """The items of the page that was asked for, and where the next one begins."""
    start = int(params.cursor) if params and params.cursor else 0
    following = start + PAGE
    return items[start:following], str(following) if following < len(items) else None


async def echo(ctx, arguments):
    return arguments["text"]


async def count(ctx, arguments):
    for step in range(1, arguments["to"] + 1):
        await ctx.session.report_progress(step, arguments["to"])
    return "counted"


async def wait(ctx, arguments):
    try:
        await ctx.session.report_progress(1)
        await anyio.sleep_forever()
    finally:
        cancelled.set()


async def cancellation(ctx, arguments):
    await cancelled.wait()
    return "cancelled"


async def fail(ctx, arguments):
    raise ValueError("it is broken")


TOOLS = {tool.__name__: tool for tool in (echo, count, wait, cancellation, fail)}


async def list_tools(ctx, params):
    tools, following = page([types.Tool(name=it, input_schema=ANYTHING) for it in TOOLS], params)
    return types.ListToolsResult(tools=tools, next_cursor=following)


async def call_tool(ctx, params):
    if params.name not in TOOLS:
        raise MCPError(code=types.INVALID_PARAMS, message=f"no tool `{params.name}`")
    try:
        text, is_error = await TOOLS[params.name](ctx, params.arguments or {}), False
    except ValueError as error:
        text, is_error = str(error), True
    content = [types.TextContent(type="text", text=text)]
    return types.CallToolResult(content=content, is_error=is_error)


async def list_resources(ctx, params):
    notes, following = page([types.Resource(name=it, uri=it) for it in NOTES], params)
    return types.ListResourcesResult(resources=notes, next_cursor=following)


async def list_templates(ctx, params):
    template = types.ResourceTemplate(name="note", uri_template="note://{number}")
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(ctx, params):
    if params.uri not in NOTES:
        raise MCPError(code=types.INVALID_PARAMS, message=f"no resource `{params.uri}`")
    text = types.TextResourceContents(uri=params.uri, text=NOTES[params.uri])
    return types.ReadResourceResult(contents=[text])


async def list_prompts(ctx, params):
    prompts, following = page([types.Prompt(name=it) for it in ("one", "two", "three")], params)
    return types.ListPromptsResult(prompts=prompts, next_cursor=following)


server = Server(
    "python",
    on_list_tools=list_tools,
    on_call_tool=call_tool,
    on_list_resources=list_resources,
    on_list_resource_templates=list_templates,
    on_read_resource=read_resource,
    on_list_prompts=list_prompts,
)


async def over_pipes():
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())


transport, *port = sys.argv[1:]
if transport == "stdio":
    anyio.run(over_pipes)
else:
    uvicorn.run(server.streamable_http_app(), host="127.0.0.1", port=int(port[0]))
