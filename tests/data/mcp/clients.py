"""The Python SDK's client against the server, on pipes or over HTTP: list, call, error, page, cancel.
usage: clients.py stdio PROGRAM WORDS… | clients.py http URL"""
import asyncio
import sys
import time

from mcp import Client, MCPError, StdioServerParameters


async def main(way, first, *words):
    server = first if way == "http" else StdioServerParameters(command=first, args=list(words))
    for mode in ("legacy", "auto"):
        async with Client(server, mode=mode) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert names == {"short_grep", "short_expand"}, names

            found = await client.call_tool("short_grep", {"pattern": "number:250"})
            assert not found.is_error, found
            found = await client.call_tool("short_grep", {"pattern": "harbour", "limit": 1})
            row = found.structured_content["results"][0]
            shown = await client.call_tool("short_expand", {"message_ids": [row["id"]]})
            assert "harbour" in shown.structured_content["messages"][0]["parts"][0]["text"], shown

            wrong = await client.call_tool("short_grep", {"pattern": "(harbour"})
            assert wrong.is_error and wrong.content[0].text, wrong
            for bad in (client.call_tool("forget", {}), client.list_tools(cursor="none")):
                try:
                    await bad
                except MCPError as error:
                    assert error.error.code == -32602, error
                else:
                    sys.exit("what a client did wrong was answered")

            seen, cursor, pages = set(), None, 0
            while pages == 0 or cursor:
                words = {"pattern": "harbour", "limit": 50, **({"cursor": cursor} if cursor else {})}
                page = (await client.call_tool("short_grep", words)).structured_content
                ids = {row["id"] for row in page["results"]}
                assert ids and not ids & seen, "a page shows rows twice, or none"
                seen, cursor, pages = seen | ids, page["cursor"], pages + 1
            assert len(seen) == 300 and pages == 6, (len(seen), pages)

            slow = {"pattern": "/q[a-z]*z.*(x|y)+w/"}
            for _ in range(5):
                task = asyncio.create_task(client.call_tool("short_grep", slow))
                await asyncio.sleep(0.02)
                task.cancel()
                try:
                    await task
                except asyncio.CancelledError:
                    pass
            began = time.monotonic()
            after = await client.call_tool("short_expand", {"message_ids": [row["id"]]})
            assert not after.is_error, after
            took = time.monotonic() - began
        print("python, %s, %s: list, call, 2 kinds of errors, %d pages, 5 calls called off; the next took %.2f s"
              % (way, mode, pages, took))


asyncio.run(main(*sys.argv[1:]))
