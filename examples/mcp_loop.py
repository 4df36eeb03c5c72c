"""An agent's whole loop in Python with its memory behind MCP: in a window of 8,000 tokens for as long as you
like, nothing is forgotten, and the model looks up what it no longer sees.

    pip install mcp        # 2.3 or newer
    OPENAI_BASE_URL=http://127.0.0.1:8080/v1 OPENAI_MODEL=NAME python examples/mcp_loop.py

with OPENAI_API_KEY where the server wants one, and `hippocamp` on the path or named in HIPPOCAMP. Reads a
prompt a line; the store is `agent.db` here."""
import asyncio
import json
import os
import sys
import urllib.request

from mcp import Client, StdioServerParameters

# The model's window, less what the tools and the answer take.
WINDOW = "6500"
FORMAT = "openai-chat"
MEMORY = StdioServerParameters(
    command=os.environ.get("HIPPOCAMP", "hippocamp"),
    args=["mcp", "--db", "agent.db", "--session", "main", "--window", WINDOW, "--with", "remember,context"])


def ask(body):
    """Sends a request to the model and returns its whole answer."""
    url = os.environ["OPENAI_BASE_URL"].rstrip("/") + "/chat/completions"
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ.get("OPENAI_API_KEY", "")}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


async def main(model):
    async with Client(MEMORY) as memory:
        async def do(name, **arguments):
            result = await memory.call_tool(name, arguments)
            if result.is_error:
                sys.exit(name + ": " + result.content[0].text)
            return result.structured_content

        tools = [{"type": "function", "function": {"name": tool.name, "description": tool.description,
                                                   "parameters": tool.input_schema}}
                 for tool in (await memory.list_tools()).tools if tool.name not in ("remember", "context")]
        for prompt in sys.stdin:
            new = {"role": "user", "content": prompt.strip()}
            while new:
                await do("remember", format=FORMAT, body=new)
                view = await do("context", format=FORMAT)
                answer = ask({"model": model, "tools": tools, **view["request"]})
                await do("remember", format=FORMAT, body=answer)
                said = answer["choices"][0]["message"]
                new = []
                for call in said.get("tool_calls") or []:
                    function = call["function"]
                    # What is wrong with a call is told to the model, which can mend it.
                    found = await memory.call_tool(function["name"], json.loads(function["arguments"]))
                    new.append({"role": "tool", "tool_call_id": call["id"], "content": found.content[0].text})
            print(said["content"], flush=True)


if not {"OPENAI_BASE_URL", "OPENAI_MODEL"} <= set(os.environ):
    sys.exit("set OPENAI_BASE_URL, as in http://127.0.0.1:8080/v1, and OPENAI_MODEL")
asyncio.run(main(os.environ["OPENAI_MODEL"]))
