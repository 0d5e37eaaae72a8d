"""A client behind the gateway: lists the skills of a server, loads one, and reads its other file.

    python loads.py METIER [--list-only] URL

The conformance suite is the server, and sees what the gateway asks it. The second file is read only
if the skill could be loaded.
"""

import json
import os
import subprocess
import sys

metier, *flags, url = sys.argv[1:]
config = os.path.join(os.environ["HOME"], "suite.json")
with open(config, "w") as file:
    json.dump({"mcpServers": {"suite": {"type": "http", "url": url}}}, file)
gateway = subprocess.Popen(
    [metier, "mcp", "--no-default-dirs", "--config", config],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
)


def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), file=gateway.stdin, flush=True)


def ask(method, **params):
    say(id=method, method=method, params=params)
    answers = (json.loads(line) for line in gateway.stdout)
    return next(it["result"] for it in answers if it.get("id") == method)


def call(tool, **arguments):
    return ask("tools/call", name=tool, arguments=arguments)


client = {"name": "loads", "version": "0"}
ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client)
say(method="notifications/initialized")
# The tools are listed when the servers have been reached.
ask("tools/list")
skill = "suite:pdf-processing"
assert skill in json.dumps(call("skills_list"))
assert ask("skills/list")["skills"][0]["uri"] == "skill://suite/pdf-processing/SKILL.md"
if "--list-only" not in flags and not call("skill", name=skill).get("isError"):
    call("skills_read", name=skill, path="references/FORMS.md")
gateway.stdin.close()
gateway.wait()
