"""The hook over a transcript that grows record by record, alone and while another process imports.
usage: hook.py PROGRAM FOLDER TRANSCRIPT [RECORDS] -> the medians of CPU and of time of an event beside
those of a bare start, `--version`, and of a sync of the disk, taken in turns; ends with 1 if one is too much beside imports.
FOLDER is an empty one: alone/ and beside/ of it are left with a store each, hook.db."""
import json
import os
import statistics
import subprocess
import sys
import time

# How much an event may take, in bare starts; its time may be a sync of the disk more.
MOST = 3


def run(words, stdin, stdout, environment):
    """Runs a program to its end and returns its CPU and its time, in milliseconds."""
    files = [
        (os.POSIX_SPAWN_OPEN, 0, stdin, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, stdout, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
    ]
    begun = time.perf_counter()
    child = os.posix_spawn(words[0], words, environment, file_actions=files)
    _, status, used = os.wait4(child, 0)
    ended = time.perf_counter()
    if status != 0:
        sys.exit(f"{words} ended with {status}")
    return 1000 * (used.ru_utime + used.ru_stime), 1000 * (ended - begun)


def sync_time(path):
    """Returns how long it takes to bring a page to the disk, in milliseconds."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(file, bytes(4096))
    begun = time.perf_counter()
    os.fsync(file)
    ended = time.perf_counter()
    os.close(file)
    return 1000 * (ended - begun)


def other(number):
    """Returns a transcript of another session, as long as an import takes a while with."""
    words = "the harbour master wrote the tide table by hand and sent it up the river " * 6
    lines = []
    for n in range(4000):
        role = "user" if n % 2 == 0 else "assistant"
        record = {
            "type": role,
            "uuid": f"o{number}-{n}",
            "parentUuid": f"o{number}-{n - 1}" if n else None,
            "sessionId": f"other-{number}",
            "timestamp": f"2026-01-02T{n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}.000Z",
            "message": {"role": role, "content": [{"type": "text", "text": f"{n} {words}"}]},
        }
        lines.append(json.dumps(record) + "\n")
    return "".join(lines)


class Replay:
    """A store of its own, into which a transcript comes record by record."""

    def __init__(self, program, folder, records):
        os.mkdir(folder)
        self.program, self.folder, self.records = program, folder, records
        self.at_store = [program, "--db", self.path("hook.db")]
        self.environment = dict(os.environ, XDG_STATE_HOME=self.path("state"))
        self.importer, self.n_imports = None, 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def import_another(self):
        """Keeps another process at importing."""
        if self.importer is None or self.importer.poll() is not None:
            self.n_imports += 1
            with open(self.path(f"other-{self.n_imports}.jsonl"), "w") as whole:
                whole.write(other(self.n_imports))
            words = [*self.at_store, "--quiet", "import", whole.name]
            self.importer = subprocess.Popen(words, stdout=subprocess.DEVNULL, env=self.environment)

    def hook(self, name):
        """Tells the hook of an event."""
        named = {"hook_event_name": name, "session_id": "s", "transcript_path": self.path("grown.jsonl")}
        with open(self.path("event.json"), "w") as file:
            json.dump(named, file)
        words = [*self.at_store, "hook", "claude-code"]
        return run(words, self.path("event.json"), self.path("said"), self.environment)

    def play(self, beside):
        """Hands over all records; returns the costs of bare starts, of events and of syncs."""
        bare, hook, syncs = [], [], []
        with open(self.path("grown.jsonl"), "ab", buffering=0) as file:
            for record in self.records:
                if beside:
                    self.import_another()
                file.write(record)
                bare.append(run([self.program, "--version"], os.devnull, os.devnull, self.environment))
                hook.append(self.hook("PostToolUse"))
                syncs.append(sync_time(self.path("sync")))
        self.hook("Stop")
        if self.importer and self.importer.wait() != 0:
            sys.exit("an import failed")
        if os.path.getsize(self.path("said")):
            sys.exit("the hook said something to the model")
        return bare, hook, statistics.median(syncs)


def told(what, bare, hook, sync):
    """Prints medians and says whether they are as low as they shall be."""
    medians = [[statistics.median(column) for column in zip(*runs)] for runs in (bare, hook)]
    (bare_cpu, bare_time), (hook_cpu, hook_time) = medians
    print(
        f"{what}: CPU {hook_cpu:.2f} ms, a bare start {bare_cpu:.2f} ms, ratio {hook_cpu / bare_cpu:.2f}; "
        f"time {hook_time:.2f} ms, a bare start {bare_time:.2f} ms, ratio {hook_time / bare_time:.2f}, "
        f"without a sync of {sync:.2f} ms {(hook_time - sync) / bare_time:.2f}"
    )
    return hook_cpu <= MOST * bare_cpu and hook_time <= MOST * bare_time + sync


def main():
    program, folder, transcript = sys.argv[1:4]
    most_records = int(sys.argv[4]) if len(sys.argv) > 4 else None
    with open(transcript, "rb") as file:
        records = file.read().splitlines(keepends=True)[:most_records]
    alone = Replay(program, os.path.join(folder, "alone"), records)
    # What is bounded is the cost beside an import; that of a hook alone is told.
    told("alone", *alone.play(beside=False))
    beside = Replay(program, os.path.join(folder, "beside"), records)
    costs = beside.play(beside=True)
    sys.exit(not told(f"beside {beside.n_imports} imports", *costs))


main()
