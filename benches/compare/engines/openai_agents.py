"""`SQLiteSession` of openai-agents: keeps the items of sessions in SQLite; no index, no search.

Journal: WAL, which the package sets. `synchronous`: the package leaves SQLite's own `FULL`, a sync
per commit; `normal` is set on each connection as it is made. A list of items is one transaction.
The time of a message is not kept, because an item has none. Tracing, which would send spans to a
service, is switched off.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections import OrderedDict
from typing import Any

os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"

from agents import SQLiteSession  # noqa: E402

from lines import Done, Engine, Request, serve, texts_of, use_home  # noqa: E402

# A session has connections of its own, so a host cannot keep all of them open.
OPEN_SESSIONS = 32


class Session(SQLiteSession):
    """A session whose connections write as safely as was asked for."""

    synchronous = "FULL"

    @staticmethod
    def _configure_connection(connection: sqlite3.Connection) -> None:
        SQLiteSession._configure_connection(connection)
        connection.execute(f"PRAGMA synchronous={Session.synchronous}")


def item(message: dict[str, Any]) -> dict[str, Any]:
    """Returns a message in the form that the package sends to a model."""
    if message["role"] == "tool":
        call = f"call_{message['at']}"
        return {"type": "function_call_output", "call_id": call, "output": message["text"]}
    return {"role": message["role"], "content": message["text"]}


class OpenaiAgents(Engine):
    missing = {
        "import": "imports no transcripts",
        "leaf": "summarises only through a model's service",
        "condense": "has no summaries of summaries",
        "grep": "has no search",
        "expand": "has no search whose hits could be expanded",
    }

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.sessions: OrderedDict[str, Session] = OrderedDict()
        self.path = ""

    def session(self, name: str) -> Session:
        session = self.sessions.get(name)
        if session is None:
            if len(self.sessions) == OPEN_SESSIONS:
                self.sessions.popitem(last=False)[1].close()
            session = self.sessions[name] = Session(name, self.path)
        self.sessions.move_to_end(name)
        return session

    def open(self, request: Request) -> Done:
        use_home(request["folder"])
        self.path = os.path.join(request["folder"], "sessions.db")
        Session.synchronous = request["sync"].upper()
        # The file and its tables are made with the first session.
        Session("open", self.path).close()
        return Done()

    def append(self, request: Request) -> Done:
        items: list[Any] = [item(message) for message in request["messages"]]
        self.loop.run_until_complete(self.session(request["session"]).add_items(items))
        return Done(len(items), texts_of(request))

    turn = append

    def view(self, request: Request) -> Done:
        session = self.session(request["session"])
        newest = session.get_items(limit=request["items"])
        items: list[Any] = self.loop.run_until_complete(newest)
        return Done(len(items), lambda: (each.get("content") or each["output"] for each in items))

    def close(self, _request: Request) -> Done:
        while self.sessions:
            self.sessions.popitem()[1].close()
        return Done()


serve(OpenaiAgents())
