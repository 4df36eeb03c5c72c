"""An agent's whole loop through MCP: 300 turns with a window of 4,000 tokens.
usage: loop.py PROGRAM DATABASE"""
import asyncio
import json
import sys
import urllib.error
import urllib.request

from mcp import Client, StdioServerParameters

from scripted import Scripted

TURNS = 300
ASKED = "Which berth is the secret one?"
FACT = "The secret berth is B17-quartz."
FILLER = "The crane moved the ledger from the pilot's berth to the ferry. " * 4


def ask(url, body):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["choices"][0]["message"]
    except urllib.error.HTTPError as error:
        sys.exit("the model refused a request: " + error.read().decode())


def kept(message, key):
    """What `remember` takes, from what the model said."""
    blocks = [{"type": "text", "text": message["content"]}] if message.get("content") else []
    for one in message.get("tool_calls") or []:
        function = one["function"]
        blocks.append({"type": "tool_use", "call_id": one["id"], "name": function["name"],
                       "arguments": function["arguments"]})
    return {"role": "assistant", "content": blocks, "key": key}


async def main(program, database):
    words = ["--db", database, "mcp", "--session", "main", "--with", "remember,context", "--window", "4000"]
    model = Scripted(ASKED)
    url = "http://127.0.0.1:%d/v1/chat/completions" % model.server_address[1]
    n_messages, n_calls, said = 0, [], None
    async with Client(StdioServerParameters(command=program, args=words)) as client:
        async def do(name, arguments):
            result = await client.call_tool(name, arguments)
            assert not result.is_error, (name, result.content)
            return result

        async def remember(*messages):
            nonlocal n_messages
            stored = (await do("remember", {"messages": list(messages)})).structured_content
            assert stored["fits"], stored
            n_messages += len(messages)

        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        tools = [{"type": "function", "function": {"name": name, "description": listed[name].description,
                                                   "parameters": listed[name].input_schema}}
                 for name in ("short_grep", "short_expand")]
        for turn in range(1, TURNS + 1):
            asked = {3: FACT, TURNS: ASKED}.get(turn, "Turn %d. %s" % (turn, FILLER))
            await remember({"role": "user", "content": asked, "key": "u%d" % turn})
            for step in range(8):
                view = (await do("context", {"format": "openai-chat"})).structured_content
                assert view["fits"] and view["tokens"] <= view["budget"] <= 4000, view
                said = ask(url, {**view["request"], "model": "scripted", "tools": tools})
                await remember(kept(said, "a%d.%d" % (turn, step)))
                if not said.get("tool_calls"):
                    break
                for one in said["tool_calls"]:
                    name, arguments = one["function"]["name"], json.loads(one["function"]["arguments"])
                    n_calls.append((turn, name))
                    result = await do(name, arguments)
                    found = result.content[0].text
                    if name == "short_grep":
                        first = result.structured_content["results"][0]
                        assert first["standing"] != "in_view", first
                    block = {"type": "tool_result", "call_id": one["id"], "content": found}
                    await remember({"role": "tool", "content": [block], "key": one["id"]})
            else:
                sys.exit("turn %d has no end" % turn)
    assert said["content"] == FACT, said
    assert n_calls == [(TURNS, "short_grep"), (TURNS, "short_expand")], n_calls
    print("%d turns, %d messages, %d requests, the largest of %d bytes; turn 3 was found at turn %d"
          % (TURNS, n_messages, model.requests, model.largest, TURNS))


asyncio.run(main(*sys.argv[1:]))
