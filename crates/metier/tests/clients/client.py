"""The Python SDK of both eras, PyPI's `mcp`: one line of JSON on stdout for each step.

    python client.py TRANSPORT ERA FOLDER URL
    python client.py stdio ERA FOLDER COMMAND [ARG...]

FOLDER holds the skills of the server; a new one is written there.
"""

import json
import pathlib
import sys
import time
import traceback

import anyio
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.shared.exceptions import MCPError

transport, era, folder, *server = sys.argv[1:]
folder = pathlib.Path(folder)

INVALID_PARAMS = -32602

# Far more than any step takes, even on a busy machine.
PATIENCE = 60

WIRES = {
    "stdio": lambda: StdioServerParameters(command=server[0], args=server[1:]),
    "http": lambda: server[0],
    "sse": lambda: sse_client(server[0]),
}


async def step(name, run):
    """Runs one step and tells how it went; what goes wrong in one does not keep the next from running."""
    started = time.monotonic()
    try:
        with anyio.fail_after(PATIENCE):
            report = {"ok": True, "detail": await run()}
    except Exception:
        report = {"ok": False, "detail": traceback.format_exc()}
    ms = round(1000 * (time.monotonic() - started))
    print(json.dumps({"step": name, **report, "ms": ms}), flush=True)


async def refuses(call, code, word):
    try:
        await call
    except MCPError as error:
        assert error.error.code == code, error.error
        assert word in error.error.message, error.error
    else:
        raise AssertionError("it was not refused")


class Story:
    """A connected client, and whether it has heard that the tools changed."""

    def __init__(self, client, changed):
        self.client = client
        self.changed = changed

    async def loads(self):
        result = await self.client.call_tool("skill", {"name": "greet"})
        text = result.content[0].text
        assert not result.is_error
        assert text.startswith(f"Loading: greet\nBase directory: {folder / 'greet'}\n"), text
        assert text.endswith("\n\n---\nname: greet\ndescription: Says hello.\n---\nHello there.\n"), text

    async def connect(self):
        version = self.client.protocol_version
        assert version.startswith("2025" if era == "legacy" else "2026"), version
        return version

    async def list(self):
        tools = {tool.name: tool for tool in (await self.client.list_tools()).tools}
        assert sorted(tools) == ["skill", "skills_list", "skills_read", "skills_search"], tools
        assert "greet" in tools["skill"].description

    async def load(self):
        await self.loads()

    async def catalog(self):
        result = await self.client.call_tool("skills_list", {})
        names = [skill["meta"]["name"] for skill in result.structured_content["skills"]]
        assert names == ["greet", "sum"], names

    async def search(self):
        found = (await self.client.call_tool("skills_search", {"query": "hello"})).structured_content
        assert found["total"] == 1, found
        assert found["results"][0]["meta"]["name"] == "greet", found

    async def read(self):
        result = await self.client.call_tool("skills_read", {"name": "greet", "path": "notes.md"})
        assert not result.is_error
        assert "Bonjour." in result.model_dump_json(), result

    async def unknown_skill(self):
        result = await self.client.call_tool("skill", {"name": "nobody"})
        assert result.is_error
        assert result.content[0].text.startswith("Skill 'nobody' not found."), result

    async def missing_argument(self):
        await refuses(self.client.call_tool("skill", {}), INVALID_PARAMS, "name")

    async def unknown_tool(self):
        await refuses(self.client.call_tool("nothing", {}), INVALID_PARAMS, "nothing")

    async def cancel(self):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.client.call_tool, "skills_list", {"includeBody": True})
            # One turn of the loop for each layer that the request passes on its way out.
            for _ in range(5):
                await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
        await self.loads()

    async def list_changed(self):
        async with self.changed() as change:
            (folder / "fresh").mkdir()
            text = "---\nname: fresh\ndescription: Comes later.\n---\nNew.\n"
            (folder / "fresh/SKILL.md").write_text(text)
            await change()
        tools = (await self.client.list_tools()).tools
        assert "fresh" in next(it.description for it in tools if it.name == "skill")


class Unsolicited:
    """Notifications as the revisions before 2026-07-28 send them."""

    def __init__(self):
        self.heard = anyio.Event()

    async def hear(self, message):
        if isinstance(message, types.ToolListChangedNotification):
            self.heard.set()

    async def __aenter__(self):
        return self.heard.wait

    async def __aexit__(self, *_):
        pass


class Listening:
    """Notifications as they come on `subscriptions/listen`."""

    def __init__(self, client):
        self.stream = client.listen(tools_list_changed=True)

    async def __aenter__(self):
        subscription = await self.stream.__aenter__()
        assert subscription.honored.tools_list_changed, subscription.honored
        return subscription.__anext__

    async def __aexit__(self, *error):
        await self.stream.__aexit__(*error)


async def main():
    unsolicited = Unsolicited()
    wire = WIRES[transport]()
    connection = Client(wire, mode=era, message_handler=unsolicited.hear)
    async with connection as client:
        modern = client.protocol_version >= "2026"
        story = Story(client, (lambda: Listening(client)) if modern else (lambda: unsolicited))
        names = ["connect", "list", "load", "catalog", "search", "read", "unknown_skill"]
        names += ["missing_argument", "unknown_tool", "cancel", "list_changed"]
        for name in names:
            await step(name, getattr(story, name))
        leaving = time.monotonic()
    ms = round(1000 * (time.monotonic() - leaving))
    print(json.dumps({"step": "close", "ok": True, "detail": None, "ms": ms}), flush=True)


anyio.run(main)
