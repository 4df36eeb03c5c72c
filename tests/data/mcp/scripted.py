"""An OpenAI-compatible server on loopback that plays a script: at the last turn it searches, opens what it
found, and says it. It never sees the store."""
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def call(name, arguments, number):
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": None,
            "tool_calls": [{"id": "call_%s" % number, "type": "function", "function": function}]}


def check(body):
    """Fails unless each call has its result right after it, and each result its call."""
    messages, tools = body["messages"], {tool["function"]["name"] for tool in body["tools"]}
    assert tools == {"short_grep", "short_expand"}, tools
    awaited = []
    for message in messages:
        assert message["role"] in ("system", "user", "assistant", "tool"), message
        if message["role"] == "tool":
            awaited.remove(message["tool_call_id"])
        else:
            assert not awaited, awaited
            awaited = [one["id"] for one in message.get("tool_calls") or []]
    assert not awaited, awaited
    return messages


def answer(messages, asked, number):
    last = messages[-1]
    if last["role"] == "tool":
        found = json.loads(last["content"])
        if "results" in found:
            ids = [row["id"] for row in found["results"][:1]]
            return call("short_expand", {"message_ids": ids}, number)
        return {"role": "assistant", "content": found["messages"][0]["parts"][0]["text"]}
    assert last["role"] == "user", last
    if asked in json.dumps(last["content"]):
        return call("short_grep", {"pattern": "secret berth NOT which", "role": "user"}, number)
    return {"role": "assistant", "content": "Noted."}


class Scripted(ThreadingHTTPServer):
    def __init__(self, asked):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked, self.requests, self.largest = asked, 0, 0
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def do_POST(self):
        text = self.rfile.read(int(self.headers["content-length"]))
        server = self.server
        server.requests += 1
        server.largest = max(server.largest, len(text))
        try:
            said = answer(check(json.loads(text)), server.asked, server.requests)
            status, body = 200, {"choices": [{"message": said}]}
        except Exception as error:
            status, body = 400, {"error": {"message": repr(error)}}
        body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
