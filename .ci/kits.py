"""Facts that survive `compact --stdin` in one generated session of compaction-conformance-kit.
usage: kits.py PROGRAM SEED -> a table row for each budget of 20 and 30 %, after five rounds."""
import json
import subprocess
import sys

from compaction_kit.compacted import CompactedContext
from compaction_kit.generated import build_generated_session
from compaction_kit.runner import run_conformance


class Program:
    name = "hippocamp"

    def __init__(self, path):
        self.path = path

    def compact(self, turns, round_num=1, budget_chars=None):
        messages = [{"role": turn.role, "content": turn.text} for turn in turns]
        asked = {"messages": messages, "round": round_num, "budget_chars": budget_chars}
        command = [self.path, "compact", "--stdin"]
        ended = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=True)
        kept = json.loads(ended.stdout)["messages"]
        if len(messages) == 1 and len(kept) == 1:
            text = kept[0]["content"]
        else:
            text = "\n".join("[%s] %s" % (message["role"], message["content"]) for message in kept)
        return CompactedContext(text=text, compactor_name=self.name, round_num=round_num)


program, seed = Program(sys.argv[1]), int(sys.argv[2])
for share in (0.2, 0.3):
    session, facts = build_generated_session(seed)
    run = run_conformance(session, program, rounds=5, canaries=facts, budget_fraction=share)
    last = run.rounds[-1]
    text = last.context.text.lower()
    updates = [fact for fact in facts if fact.superseded_tokens]
    kept = sum(last.survived[fact.id] for fact in facts)
    resolved = sum(last.survived[fact.id] for fact in updates)
    stale = sum(any(token.lower() in text for token in fact.superseded_tokens) for fact in updates)
    within = all(one.within_budget for one in run.rounds)
    print("| %d | %d %% | %d of %d | %d of %d | %d | %s |"
          % (seed, 100 * share, kept, len(facts), resolved, len(updates), stale, "yes" if within else "NO"))
