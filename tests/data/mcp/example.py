"""The example in Python against the scripted server: it looks up what it was told.
usage: example.py PROGRAM FOLDER"""
import os
import subprocess
import sys

from scripted import Scripted

ASKED = "Which berth is the secret one?"
FACT = "The secret berth is B17-quartz."
EXAMPLE = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../../examples/mcp_loop.py"))

program, folder = sys.argv[1:]
model = Scripted(ASKED)
url = "http://127.0.0.1:%d/v1" % model.server_address[1]
variables = {**os.environ, "HIPPOCAMP": program, "OPENAI_BASE_URL": url, "OPENAI_MODEL": "scripted"}
answers = subprocess.run([sys.executable, EXAMPLE], input="%s\n%s\n" % (FACT, ASKED), text=True, check=True,
                         capture_output=True, cwd=folder, env=variables).stdout.splitlines()
assert answers == ["Noted.", FACT], answers
print("the example: %d prompts, %d requests, the fact was looked up" % (len(answers), model.requests))
