"""A Python client that is busy until its input ends: it calls one tool of each server all the time,
and says so when something changes. One line of JSON for each of these.

    python busy.py ERA URL CALLS

CALLS is an object of names of tools and arguments.
"""

import json
import sys

import anyio
import mcp_types as types
from mcp import Client

era, url, calls = sys.argv[1:]

over = anyio.Event()


def say(**what):
    print(json.dumps(what), flush=True)


async def tools(client):
    return sorted(tool.name for tool in (await client.list_tools()).tools)


async def call(client, name, arguments, counts):
    """Calls a tool again and again; counts how often that went well, and why not."""
    count = counts[name] = {"good": 0, "bad": 0, "errors": []}
    last = None
    while not over.is_set():
        error = None
        try:
            result = await client.call_tool(name, arguments)
            if result.is_error:
                error = result.model_dump_json()
        except Exception as failure:
            error = str(failure)
        if error is not None and error not in count["errors"]:
            count["errors"].append(error)
        count["good" if error is None else "bad"] += 1
        if last != (error is None):
            say(tool=name, error=error)
        last = error is None


async def wait_for_end():
    await anyio.to_thread.run_sync(sys.stdin.read)
    over.set()


async def main():
    changed_send, changed = anyio.create_memory_object_stream(100)

    async def hear(message):
        if isinstance(message, types.ToolListChangedNotification):
            changed_send.send_nowait(None)

    async def hear_changes(client):
        async for _ in changed:
            say(changed=await tools(client))

    async def listen(client):
        async with client.listen(tools_list_changed=True) as changes:
            async for change in changes:
                await hear(change)

    async with Client(url, mode=era, message_handler=hear) as client:
        say(tools=await tools(client))
        counts = {}
        async with anyio.create_task_group() as others:
            others.start_soon(hear_changes, client)
            if client.protocol_version >= "2026":
                others.start_soon(listen, client)
            async with anyio.create_task_group() as busy:
                busy.start_soon(wait_for_end)
                for name, arguments in json.loads(calls).items():
                    busy.start_soon(call, client, name, arguments, counts)
            others.cancel_scope.cancel()
        say(counts=counts, tools=await tools(client))


anyio.run(main)
