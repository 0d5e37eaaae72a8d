"""The server that the conformance suite asks for, made with PyPI's `mcp`.

    python suite_server.py PORT [legacy]

With `legacy` it speaks the revisions before 2026-07-28 only.
"""

import hashlib
import hmac
import json
import secrets
import sys

import anyio
import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http import EventMessage, EventStore
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from starlette.responses import JSONResponse

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="

# How long a tool pauses between two of its messages; the suite asks for it.
PAUSE = 0.05

# What the suite looks for in the list of tools.
SCHEMA_2020_12 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}

DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}

OPTIONS = ["option1", "option2", "option3"]
TITLED = [{"const": f"value{n}", "title": f"Value {n}"} for n in range(1, 4)]
ENUMS = {
    "untitledSingle": {"type": "string", "enum": OPTIONS},
    "titledSingle": {"type": "string", "oneOf": TITLED},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["One", "Two"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
    "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
}

bus = InMemorySubscriptionBus()
key = secrets.token_bytes()


# Questions for the client.


class Asked(Exception):
    """What a client of 2026-07-28 is to be asked by way of the result."""

    def __init__(self, questions, state):
        self.result = {"resultType": "input_required", "inputRequests": questions}
        if state is not None:
            self.result["requestState"] = state


def elicitation(message, properties):
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def sampling(prompt, tokens=100):
    message = {"role": "user", "content": {"type": "text", "text": prompt}}
    return {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": tokens}}


ROOTS = {"method": "roots/list", "params": {}}

REQUESTS = {
    "elicitation/create": (types.ElicitRequest, types.ElicitResult),
    "sampling/createMessage": (types.CreateMessageRequest, types.CreateMessageResult),
    "roots/list": (types.ListRootsRequest, types.ListRootsResult),
}


def is_modern(ctx):
    return ctx.protocol_version >= "2026-07-28"


async def ask(ctx, params, questions, state=None):
    """The client's answers, by the names of the questions."""
    if is_modern(ctx):
        answers = params.input_responses or {}
        if not questions.keys() <= answers.keys():
            raise Asked(questions, state)
        return {name: answers[name] for name in questions}
    answers = {}
    for name, question in questions.items():
        request, result = REQUESTS[question["method"]]
        question, metadata = request.model_validate(question), ServerMessageMetadata(ctx.request_id)
        answers[name] = await ctx.session.send_request(question, result, metadata=metadata)
    return answers


def sign(word):
    return f"{word}.{hmac.new(key, word.encode(), hashlib.sha256).hexdigest()}"


def signed(state, word):
    """Refuses a state that is not ours."""
    if state != sign(word):
        raise MCPError(code=types.INVALID_PARAMS, message="the request state was tampered with")


def text(words):
    return {"content": [{"type": "text", "text": words}]}


TOOLS = {}


def tool(schema=None):
    def add(run):
        definition = {"name": run.__name__, "description": f"{run.__name__} of the suite"}
        TOOLS[run.__name__] = ({**definition, "inputSchema": schema or {"type": "object"}}, run)
        return run

    return add


# Tools that only give something back.


@tool()
async def test_simple_text(ctx, params):
    return text("This is a simple text response for testing.")


@tool()
async def test_image_content(ctx, params):
    return {"content": [{"type": "image", "data": PNG, "mimeType": "image/png"}]}


@tool()
async def test_audio_content(ctx, params):
    return {"content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]}


@tool()
async def test_embedded_resource(ctx, params):
    resource = {"uri": "test://embedded-resource", "mimeType": "text/plain", "text": "Embedded."}
    return {"content": [{"type": "resource", "resource": resource}]}


@tool()
async def test_multiple_content_types(ctx, params):
    resource = {"uri": "test://mixed-content-resource", "mimeType": "application/json", "text": '{"test":"data"}'}
    image = {"type": "image", "data": PNG, "mimeType": "image/png"}
    return {"content": [*text("Multiple content types:")["content"], image, {"type": "resource", "resource": resource}]}


@tool()
async def test_error_handling(ctx, params):
    return {**text("This tool intentionally returns an error for testing"), "isError": True}


@tool(SCHEMA_2020_12)
async def json_schema_2020_12_tool(ctx, params):
    return text("valid")


@tool({
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "query": {"type": "string"},
    },
    "required": ["region", "query"],
})
async def test_custom_headers(ctx, params):
    return text(params.arguments["region"])


# Tools that say something on the way.


async def log(ctx, words):
    await ctx.session.send_log_message("info", words, related_request_id=ctx.request_id)
    await anyio.sleep(PAUSE)


@tool()
async def test_tool_with_logging(ctx, params):
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await log(ctx, words)
    return text("logged")


@tool()
async def test_logging_tool(ctx, params):
    return await test_tool_with_logging(ctx, params)


@tool()
async def test_tool_with_progress(ctx, params):
    for step in (0, 50, 100):
        await ctx.session.report_progress(step, 100)
        await anyio.sleep(PAUSE)
    return text("progressed")


@tool()
async def test_reconnection(ctx, params):
    if ctx.close_sse_stream:
        await ctx.close_sse_stream()
    await anyio.sleep(2 * PAUSE)
    return text("reconnected")


@tool()
async def test_trigger_tool_change(ctx, params):
    name = f"test_changed_{len(TOOLS)}"
    TOOLS[name] = ({**TOOLS["test_simple_text"][0], "name": name}, test_simple_text)
    await bus.publish(ToolsListChanged())
    await ctx.session.send_tool_list_changed()
    return text("changed")


@tool()
async def test_trigger_prompt_change(ctx, params):
    name = f"test_changed_{len(PROMPTS)}"
    PROMPTS[name] = ({**PROMPTS["test_simple_prompt"][0], "name": name}, test_simple_prompt)
    await bus.publish(PromptsListChanged())
    await ctx.session.send_prompt_list_changed()
    return text("changed")


# Tools that ask the client.


@tool({"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"]})
async def test_sampling(ctx, params):
    answers = await ask(ctx, params, {"reply": sampling(params.arguments["prompt"])})
    return text(f"LLM response: {answers['reply'].content.text}")


async def elicit(ctx, params, message, properties):
    answer = (await ask(ctx, params, {"reply": elicitation(message, properties)}))["reply"]
    return text(f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}")


@tool({"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]})
async def test_elicitation(ctx, params):
    properties = {"username": {"type": "string"}, "email": {"type": "string"}}
    return await elicit(ctx, params, params.arguments["message"], properties)


@tool()
async def test_elicitation_sep1034_defaults(ctx, params):
    return await elicit(ctx, params, "Who are you?", DEFAULTS)


@tool()
async def test_elicitation_sep1330_enums(ctx, params):
    return await elicit(ctx, params, "What do you choose?", ENUMS)


@tool()
async def test_streaming_elicitation(ctx, params):
    await ctx.session.report_progress(1, 2)
    return await elicit(ctx, params, "Go on?", {"ok": {"type": "boolean"}})


@tool()
async def test_missing_capability(ctx, params):
    capabilities = ctx.session.client_capabilities
    if capabilities is None or capabilities.sampling is None:
        missing = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "this tool needs `sampling`", missing)
    return text("the client can be asked")


NAME = elicitation("What is your name?", {"name": {"type": "string"}})


@tool()
async def test_input_required_result_elicitation(ctx, params):
    answers = await ask(ctx, params, {"user_name": NAME})
    return text(f"Hello, {answers['user_name'].content['name']}!")


@tool()
async def test_input_required_result_sampling(ctx, params):
    answers = await ask(ctx, params, {"capital_question": sampling("What is the capital of France?")})
    return text(answers["capital_question"].content.text)


@tool()
async def test_input_required_result_list_roots(ctx, params):
    answers = await ask(ctx, params, {"client_roots": ROOTS})
    return text(str([root.uri for root in answers["client_roots"].roots]))


CONFIRM = elicitation("Please confirm", {"ok": {"type": "boolean"}})


@tool()
async def test_input_required_result_request_state(ctx, params):
    await ask(ctx, params, {"confirm": CONFIRM}, sign("confirm"))
    if is_modern(ctx):
        signed(params.request_state, "confirm")
    return text("state-ok")


@tool()
async def test_input_required_result_tampered_state(ctx, params):
    return await test_input_required_result_request_state(ctx, params)


@tool()
async def test_input_required_result_multiple_inputs(ctx, params):
    questions = {"user_name": NAME, "greeting": sampling("Generate a greeting", 50), "client_roots": ROOTS}
    await ask(ctx, params, questions, sign("many"))
    return text("all answered")


@tool()
async def test_input_required_result_multi_round(ctx, params):
    color = elicitation("Step 2: What is your favorite color?", {"color": {"type": "string"}})
    if is_modern(ctx) and params.request_state == sign("first"):
        raise Asked({"step2": color}, sign("second"))
    if is_modern(ctx) and params.request_state == sign("second"):
        return text("done")
    await ask(ctx, params, {"step1": NAME}, sign("first"))
    await ask(ctx, params, {"step2": color})
    return text("done")


@tool()
async def test_input_required_result_capabilities(ctx, params):
    capabilities = ctx.session.client_capabilities
    questions = {"ask": NAME, "complete": sampling("Say something")}
    can = {"ask": capabilities.elicitation, "complete": capabilities.sampling}
    await ask(ctx, params, {name: it for name, it in questions.items() if can[name] is not None})
    return text("done")


# Prompts.

PROMPTS = {}


def prompt(*arguments):
    def add(run):
        definition = {"name": run.__name__, "description": f"{run.__name__} of the suite"}
        definition["arguments"] = [{"name": name, "required": True} for name in arguments]
        PROMPTS[run.__name__] = (definition, run)
        return run

    return add


def message(content):
    return {"role": "user", "content": content}


def said(words):
    return message({"type": "text", "text": words})


@prompt()
async def test_simple_prompt(ctx, params):
    return {"messages": [said("This is a simple prompt for testing.")]}


@prompt("arg1", "arg2")
async def test_prompt_with_arguments(ctx, params):
    given = params.arguments
    return {"messages": [said(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")]}


@prompt("resourceUri")
async def test_prompt_with_embedded_resource(ctx, params):
    resource = {"uri": params.arguments["resourceUri"], "mimeType": "text/plain", "text": "Embedded."}
    return {"messages": [message({"type": "resource", "resource": resource}), said("Look at it.")]}


@prompt()
async def test_prompt_with_image(ctx, params):
    return {"messages": [message({"type": "image", "data": PNG, "mimeType": "image/png"}), said("Look at it.")]}


@prompt()
async def test_input_required_result_prompt(ctx, params):
    question = elicitation("What context should the prompt use?", {"context": {"type": "string"}})
    answers = await ask(ctx, params, {"user_context": question})
    return {"messages": [said(answers["user_context"].content["context"])]}


# Resources.

TEMPLATE = "test://template/{id}/data"
RESOURCES = {
    "test://static-text": {"mimeType": "text/plain", "text": "This is the static text resource."},
    "test://static-binary": {"mimeType": "image/png", "blob": PNG},
    "test://watched-resource": {"mimeType": "text/plain", "text": "This one is watched."},
}


def contents(uri):
    beginning, end = TEMPLATE.split("{id}")
    if uri in RESOURCES:
        return {"uri": uri, **RESOURCES[uri]}
    if uri.startswith(beginning) and uri.endswith(end):
        filled = {"id": uri[len(beginning) : -len(end)], "templateTest": True}
        return {"uri": uri, "mimeType": "application/json", "text": json.dumps(filled)}
    raise MCPError(types.INVALID_PARAMS, "Resource not found", {"uri": uri})


# The server.


async def list_tools(ctx, params):
    return types.ListToolsResult.model_validate({"tools": [definition for definition, _ in TOOLS.values()]})


async def list_prompts(ctx, params):
    return types.ListPromptsResult.model_validate({"prompts": [definition for definition, _ in PROMPTS.values()]})


async def list_resources(ctx, params):
    resources = [{"uri": uri, "name": uri, "mimeType": it["mimeType"]} for uri, it in RESOURCES.items()]
    return types.ListResourcesResult.model_validate({"resources": resources})


async def list_templates(ctx, params):
    template = {"uriTemplate": TEMPLATE, "name": "data", "mimeType": "application/json"}
    return types.ListResourceTemplatesResult.model_validate({"resourceTemplates": [template]})


async def read_resource(ctx, params):
    return types.ReadResourceResult.model_validate({"contents": [contents(str(params.uri))]})


async def run(things, result, ctx, params):
    if params.name not in things:
        raise MCPError(types.INVALID_PARAMS, f"there is no `{params.name}`")
    try:
        return result.model_validate(await things[params.name][1](ctx, params))
    except Asked as asked:
        return asked.result


async def call_tool(ctx, params):
    return await run(TOOLS, types.CallToolResult, ctx, params)


async def get_prompt(ctx, params):
    return await run(PROMPTS, types.GetPromptResult, ctx, params)


async def complete(ctx, params):
    values = [it for it in ("testing", "paris", "party") if it.startswith(params.argument.value)]
    return types.CompleteResult.model_validate({"completion": {"values": values, "total": len(values)}})


async def agree(ctx, params):
    return {}


class Memory(EventStore):
    """Remembers all that was said, so that a stream can go on where it was left."""

    def __init__(self):
        self.events = []

    async def store_event(self, stream_id, message):
        self.events.append((stream_id, message))
        return str(len(self.events))

    async def replay_events_after(self, last_event_id, send_callback):
        seen = int(last_event_id)
        stream = self.events[seen - 1][0]
        for at, (stream_id, message) in enumerate(self.events[seen:], seen + 1):
            if stream_id == stream and message is not None:
                await send_callback(EventMessage(message, str(at)))
        return stream


def earlier(app):
    """Refuses 2026-07-28, as a server does that never heard of it."""

    async def guarded(scope, receive, send):
        revision = dict(scope.get("headers", [])).get(b"mcp-protocol-version", b"")
        if revision >= b"2026":
            error = {"code": -32000, "message": "Bad Request: unsupported protocol version"}
            refusal = JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, 400)
            return await refusal(scope, receive, send)
        return await app(scope, receive, send)

    return guarded


server = Server(
    "suite",
    version="1",
    on_list_tools=list_tools,
    on_call_tool=call_tool,
    on_list_resources=list_resources,
    on_list_resource_templates=list_templates,
    on_read_resource=read_resource,
    on_subscribe_resource=agree,
    on_unsubscribe_resource=agree,
    on_subscriptions_listen=ListenHandler(bus),
    on_list_prompts=list_prompts,
    on_get_prompt=get_prompt,
    on_completion=complete,
    on_set_logging_level=agree,
)
port, *era = sys.argv[1:]
app = server.streamable_http_app(event_store=Memory(), retry_interval=100)
uvicorn.run(earlier(app) if era else app, host="127.0.0.1", port=int(port))
