"""The line protocol for engines in Python: a request a line, an answer a line.

A request is parsed before the clock starts; what an answer counts is counted after it has stopped.
The protocol itself is in README.md, a folder above.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

Request = dict[str, Any]
REQUESTS = (
    *("open", "append", "turn", "import", "leaf", "condense"),
    *("view", "grep", "expand", "settle", "close"),
)


class Unsupported(Exception):
    """Says what an engine has not, in a few words."""


@dataclass(frozen=True)
class Done:
    """How many were stored or returned, and the texts whose bytes are told."""

    count: int | Callable[[], int] = 0
    texts: Iterable[str] | Callable[[], Iterable[str]] = ()


class Engine:
    """What a driver implements: a method for each request that is not in `missing`."""

    missing: dict[str, str] = {}
    is_open = False
    # Whether it works on after an answer; the CPU time up to the last answer, if so.
    works_behind = False
    seen_ns = 0

    def ready(self, request: Request) -> None:
        """Makes ready for a request, before the clock starts."""

    def cpu_ns(self) -> int:
        """Returns the CPU time of all that works for the engine."""
        return time.process_time_ns()

    def settle(self, _request: Request) -> Done:
        """Waits for work in the background; without any there is nothing to wait for."""
        return Done()

    def close(self, _request: Request) -> Done:
        """Closes the store; also called at the end of the requests."""
        return Done()


def texts_of(request: Request) -> Callable[[], Iterable[str]]:
    """Returns the texts of a request's messages, to be counted later."""
    return lambda: (message["text"] for message in request["messages"])


def use_home(folder: str) -> str:
    """Makes a home inside the engine's folder, for all that looks for one, and returns it."""
    home = os.path.join(folder, "home")
    os.makedirs(home, exist_ok=True)
    os.environ["HOME"] = home
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        os.environ[f"XDG_{name}_HOME"] = os.path.join(home, name.lower())
    return home


def _answer(engine: Engine, request: Request) -> dict[str, Any]:
    do = request.get("do")
    if do in engine.missing:
        return {"ok": False, "unsupported": engine.missing[do]}
    if do not in REQUESTS:
        return {"ok": False, "error": f"no request is called {do!r}: one of {', '.join(REQUESTS)}"}
    if do not in ("open", "close") and not engine.is_open:
        return {"ok": False, "error": f"{do}: no store is open yet"}
    # `import` is a word of Python's own.
    method = getattr(engine, "import_" if do == "import" else do)
    try:
        behind = engine.cpu_ns() - engine.seen_ns if engine.works_behind else 0
        engine.ready(request)
        cpu, wall = engine.cpu_ns(), time.perf_counter_ns()
        done = method(request)
        wall, cpu = time.perf_counter_ns() - wall, engine.cpu_ns() - cpu
        engine.is_open = True
        count = done.count() if callable(done.count) else done.count
        texts = done.texts() if callable(done.texts) else done.texts
        n_bytes = sum(len(text.encode()) for text in texts)
        engine.seen_ns = engine.cpu_ns()
        times = {"wall_us": wall, "cpu_us": cpu, "behind_us": behind}
        micros = {name: nanos / 1_000 for name, nanos in times.items()}
        return {"ok": True, "count": count, "bytes": n_bytes, **micros}
    except Unsupported as reason:
        return {"ok": False, "unsupported": str(reason)}
    except Exception as error:  # The other side decides what a failure means.
        return {"ok": False, "error": f"{do}: {type(error).__name__}: {error}"}


def serve(engine: Engine) -> None:
    """Answers requests until one closes the engine or there are no more."""
    # Only answers go to stdout, whatever a package prints.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        try:
            request = json.loads(line)
        except ValueError as error:
            request, answer = {}, {"ok": False, "error": f"a request is not JSON: {error}"}
        else:
            answer = _answer(engine, request)
        answers.write(json.dumps(answer) + "\n")
        if request.get("do") == "close":
            return
    engine.close({})
