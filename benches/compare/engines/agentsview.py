"""agentsview: imports transcripts of agents into SQLite and searches them, by a server on loopback.

    agentsview.py          its default search: substrings of all it stored, newest sessions first
    agentsview.py --fts    its full-text search: words of messages, ranked, without tools' results
    agentsview.py --once   imports by a process of its own (`agentsview sync`), not by the server

The server is warm and asked over one connection. CPU time is the server's and its children's; what
the driver itself takes is not in it. Journal: WAL with `synchronous` `NORMAL`; neither can be set.
Sessions that it hides by default (of one question, automated, of subagents) are searched too.
Results of the tools `Read` and `Glob` it does not store by default, and a result is no message of
its own: it belongs to the call, so it stores fewer messages than there are records. A view holds at
most 1,000 messages.
Switches turn off telemetry and the look for updates. There is none for the prices of models, which
it fetches when it starts: a proxy where nobody listens keeps that on loopback.
"""

from __future__ import annotations

import ctypes
import http.client
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from importlib.metadata import distribution
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from lines import Done, Engine, Request, Unsupported, serve

SERVE = ["serve", "--no-sync", "--no-browser", "--no-update-check", "--host", "127.0.0.1"]
# A free port, and no end to answers that take long.
SERVE += ["--port", "0", "--write-timeout", "0"]
HIDDEN = ("include_one_shot", "include_automated", "include_children")
ALL_SESSIONS = dict.fromkeys(HIDDEN, "true")
# It takes a larger limit for none at all, and lists 50.
MOST_HITS = 500


def environment(home: Path) -> dict[str, str]:
    nobody = "http://127.0.0.1:9"
    return {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(home),
        "TMPDIR": str(home),
        "AGENTSVIEW_TELEMETRY_ENABLED": "0",
        "DO_NOT_TRACK": "1",
        "AGENTSVIEW_DISABLE_UPDATE_CHECK": "1",
        "HTTP_PROXY": nobody,
        "HTTPS_PROXY": nobody,
        "NO_PROXY": "127.0.0.1,localhost",
    }


def program() -> str:
    path = Path(str(distribution("agentsview").locate_file("agentsview/bin/agentsview")))
    if not os.access(path, os.X_OK):
        path.chmod(0o755)
    return str(path)


def end_with_parent() -> None:
    """Asks Linux to end this process when the driver ends, however that comes about."""
    set_death_signal = 1
    ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)


class Server:
    """The running server: requests over one connection, and its CPU time."""

    def __init__(self, home: Path) -> None:
        self.child = subprocess.Popen(
            [program(), *SERVE],
            env=environment(home),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=end_with_parent,
        )
        self.origin = self._origin()
        self.connection = http.client.HTTPConnection(self.origin.removeprefix("http://"))
        drain = (self.child.stdout, sys.stderr)
        threading.Thread(target=shutil.copyfileobj, args=drain, daemon=True).start()

    def _origin(self) -> str:
        said = []
        assert self.child.stdout is not None
        for line in self.child.stdout:
            said.append(line)
            if found := re.search(r"listening at (http://127\.0\.0\.1:\d+)", line):
                return found[1]
        raise RuntimeError(f"the server ended with {self.child.wait()}: {''.join(said)}")

    def ask(self, path: str, method: str = "GET", **fields: Any) -> bytes:
        # Without its own origin in the header it refuses what writes.
        target = f"/api/v1/{path}?{urlencode(fields)}"
        self.connection.request(method, target, headers={"Origin": self.origin})
        response = self.connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise RuntimeError(f"{method} {path}: {response.status} {body[:200]!r}")
        return body

    def get(self, path: str, **fields: Any) -> Any:
        return json.loads(self.ask(path, **fields))

    def cpu_ns(self) -> int:
        pid = self.child.pid
        # The clock of a process, as Linux numbers it: nanoseconds, those of ended threads included.
        own = time.clock_gettime_ns((~pid << 3) | 2)
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = int(fields[13]) + int(fields[14])
        return own + children * 1_000_000_000 // os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        self.connection.close()
        self.child.terminate()
        self.child.wait()


class Agentsview(Engine):
    works_behind = True
    missing = {
        "append": "takes transcripts only",
        "turn": "takes transcripts only",
        "leaf": "has no summaries",
        "condense": "has no summaries",
    }

    def __init__(self, flags: list[str]) -> None:
        self.is_full_text = "--fts" in flags
        self.is_once = "--once" in flags
        self.home = Path()
        self.server: Server | None = None
        self.n_messages = 0
        self.hits: list[dict[str, Any]] = []

    def ready(self, request: Request) -> None:
        if request["do"] == "import":
            self.link(Path(request["path"]).resolve())
            if self.is_once:
                self.stop()
        elif request["do"] not in ("open", "close"):
            self.running()

    def running(self) -> Server:
        if self.server is None:
            self.server = Server(self.home)
        return self.server

    def cpu_ns(self) -> int:
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        running = self.server.cpu_ns() if self.server else 0
        return int((ended.ru_utime + ended.ru_stime) * 1_000_000_000) + running

    def open(self, request: Request) -> Done:
        if request["sync"] != "normal":
            raise Unsupported("writes with synchronous NORMAL only")
        self.home = Path(request["folder"]).resolve() / "home"
        self.home.mkdir(exist_ok=True)
        self.n_messages = self.running().get("stats")["message_count"]
        return Done(self.n_messages)

    def link(self, path: Path) -> None:
        """Puts folders of transcripts where it looks for those of Claude Code, without a copy."""
        projects = self.home / ".claude" / "projects"
        projects.mkdir(parents=True, exist_ok=True)
        is_project = any(path.glob("*.jsonl"))
        for folder in [path] if is_project else filter(Path.is_dir, path.iterdir()):
            link = projects / (folder.name or "project")
            if not link.exists():
                link.symlink_to(folder)
            elif link.resolve() != folder.resolve():
                raise RuntimeError(f"{folder}: its name is taken by {link.resolve()}")

    def import_(self, _request: Request) -> Done:
        if self.is_once:
            once = environment(self.home) | {"AGENTSVIEW_NO_DAEMON": "1"}
            command, nothing = [program(), "sync"], subprocess.DEVNULL
            subprocess.run(command, env=once, check=True, stdin=nothing, stdout=sys.stderr)
            return Done(self.stored)
        events = self.running().ask("sync", "POST").decode()
        outcome = json.loads(events.rpartition("event: done\ndata: ")[2])
        if outcome["failed"] or outcome["aborted"]:
            raise RuntimeError(f"sync: {outcome}")
        return Done(self.stored)

    def stored(self) -> int:
        """Returns how many messages are there more than at the last look."""
        before, self.n_messages = self.n_messages, self.running().get("stats")["message_count"]
        return self.n_messages - before

    def view(self, request: Request) -> Done:
        path = f"sessions/{quote(request['session'])}/messages"
        messages = self.running().get(path, direction="desc", limit=request["items"])["messages"]
        return Done(len(messages), lambda: texts(messages))

    def grep(self, request: Request) -> Done:
        mode, pattern = self.full_text(request) if self.is_full_text else self.default(request)
        fields = {"mode": mode, "pattern": pattern, "limit": min(request["limit"], MOST_HITS)}
        if request.get("session"):
            fields["session_id"] = request["session"]
        hits = self.hits = self.running().get("search/content", **fields, **ALL_SESSIONS)["matches"]
        return Done(len(hits), lambda: (hit["snippet"] for hit in hits))

    def default(self, request: Request) -> tuple[str, str]:
        query, kind = request["query"], request["kind"]
        if request["order"] != "newest":
            raise Unsupported("ranks in its full-text search only")
        if kind in ("word", "phrase", "substring"):
            return "substring", query
        if kind == "or":
            return "regex", "|".join(map(re.escape, query.split()))
        if kind == "prefix":
            return "regex", rf"\b{re.escape(query)}"
        raise Unsupported(f"has no search for {kind}")

    def full_text(self, request: Request) -> tuple[str, str]:
        query, kind = request["query"], request["kind"]
        if request["order"] != "ranked":
            raise Unsupported("lists hits of its full-text search by rank only")
        if kind == "phrase":
            return "fts", f'"{query}"'
        if kind in ("word", "and"):
            return "fts", query
        raise Unsupported(f"has no full-text search for {kind}")

    def expand(self, request: Request) -> Done:
        messages = []
        for hit in self.hits[: request["hits"]]:
            path = f"sessions/{quote(hit['session_id'])}/messages"
            around = {"around": hit["ordinal"], "before": 0, "after": 0}
            messages += self.running().get(path, **around)["messages"]
        return Done(len(messages), lambda: texts(messages))

    def settle(self, _request: Request) -> Done:
        server = self.running()
        before, now = -1, server.cpu_ns()
        while now - before > 2_000_000:
            time.sleep(0.2)
            before, now = now, server.cpu_ns()
        return Done()

    def stop(self) -> None:
        if self.server is not None:
            self.server.stop()
            self.server = None

    def close(self, _request: Request) -> Done:
        self.stop()
        return Done()


def texts(messages: list[dict[str, Any]]) -> list[str]:
    """Returns what messages say, and what the tools returned that they called."""
    calls = [call for message in messages for call in message.get("tool_calls") or []]
    said = [message["content"] for message in messages]
    return said + [call.get("result_content") or "" for call in calls]


serve(Agentsview(sys.argv[1:]))
