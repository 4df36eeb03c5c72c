"""`SessionDB` of hermes-agent: messages in SQLite, with two indexes by triggers: words, trigrams.

Journal: WAL, which the package sets. `synchronous`: the package leaves SQLite's own `FULL`, a sync
per commit; `normal` is set on its one connection. A message of a turn is a transaction of its own,
as its agent stores it. Only a session that is new can come in one transaction (`import_sessions`):
`append` uses that where it applies. Checkpoints, and a merge of both indexes every 1,000 writes,
are done inside of writes, so there is nothing to settle. It has no telemetry; its home is in the
engine's folder.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hermes_state import SessionDB

from lines import Done, Engine, Request, Unsupported, serve, texts_of, use_home

SYNCHRONOUS = {"normal": 1, "full": 2}
# What `import_sessions` takes for one session; half of its bytes, since it counts those of JSON.
IMPORT_MESSAGES = SessionDB._IMPORT_MAX_MESSAGES_PER_SESSION
IMPORT_BYTES = SessionDB._IMPORT_MAX_SESSION_BYTES // 2
# As its documentation writes them. It drops a bare `or`, `and` or `not` at an end of a query.
QUERIES = {
    "word": "{}",
    "and": "{}",
    "or": "{}",
    "phrase": '"{}"',
    "prefix": "{}*",
}


class HermesAgent(Engine):
    missing = {
        "import": "imports only what it exported",
        "leaf": "compacts a whole conversation at once",
        "condense": "has no summaries of summaries",
    }

    db: SessionDB

    def __init__(self) -> None:
        self.known: set[str] = set()
        self.hits: list[dict[str, Any]] = []

    def open(self, request: Request) -> Done:
        os.environ["HERMES_HOME"] = use_home(request["folder"])
        self.db = db = SessionDB(Path(request["folder"]) / "state.db")
        level = SYNCHRONOUS[request["sync"]]
        db._conn.execute(f"PRAGMA synchronous={level}")
        if db._conn.execute("PRAGMA synchronous").fetchone()[0] != level:
            raise RuntimeError(f"synchronous is not {request['sync']}")
        return Done(db.message_count)

    def turn(self, request: Request) -> Done:
        session = request["session"]
        if session not in self.known:
            self.db.create_session(session, "cli")
            self.known.add(session)
        for message in request["messages"]:
            at = message["at"] / 1_000
            self.db.append_message(session, message["role"], message["text"], timestamp=at)
        return Done(len(request["messages"]), texts_of(request))

    def append(self, request: Request) -> Done:
        session, messages = request["session"], request["messages"]
        n_bytes = sum(len(message["text"].encode()) for message in messages)
        fits = len(messages) <= IMPORT_MESSAGES and n_bytes <= IMPORT_BYTES
        if session in self.known or not fits or self.db.get_session(session):
            return self.turn(request)
        rows = [
            {"role": each["role"], "content": each["text"], "timestamp": each["at"] / 1_000}
            for each in messages
        ]
        outcome = self.db.import_sessions([{"id": session, "source": "cli", "messages": rows}])
        if outcome["imported"] != 1:
            raise RuntimeError(f"import_sessions: {outcome['errors']}")
        self.known.add(session)
        return Done(len(rows), texts_of(request))

    def view(self, request: Request) -> Done:
        # It reads a conversation as a whole; there is no request for the newest of it.
        messages = self.db.get_messages_as_conversation(request["session"])[-request["items"] :]
        return Done(len(messages), lambda: (message["content"] for message in messages))

    def grep(self, request: Request) -> Done:
        if request.get("session"):
            raise Unsupported("searches all sessions only")
        if request["kind"] not in QUERIES:
            raise Unsupported(f"has no search for {request['kind']}")
        words = request["query"]
        if request["kind"] == "or":
            words = " OR ".join(words.split())
        query = QUERIES[request["kind"]].format(words)
        sort = "newest" if request["order"] == "newest" else None
        self.hits = self.db.search_messages(query, limit=request["limit"], sort=sort)
        hits = self.hits
        return Done(len(hits), lambda: shown(hits))

    def expand(self, request: Request) -> Done:
        messages = [
            self.db.get_messages_around(hit["session_id"], hit["id"], window=0)["window"][0]
            for hit in self.hits[: request["hits"]]
        ]
        return Done(len(messages), lambda: (message["content"] for message in messages))

    def close(self, _request: Request) -> Done:
        if hasattr(self, "db"):
            self.db.close()
        return Done()


def shown(hits: list[dict[str, Any]]) -> list[str]:
    """Returns what a search shows: a piece of each hit, and the starts of its neighbours."""
    around = [each["content"] for hit in hits for each in hit["context"]]
    return [hit["snippet"] for hit in hits] + around


serve(HermesAgent())
