"""Serves a local model by llama.cpp until stdin ends. Prints the port once the model answers.

Usage: serve.py MODEL.gguf CONTEXT
"""

import socket
import sys
import time
import urllib.error
import urllib.request

import xllamacpp


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def wait_until_ready(port, seconds):
    for _ in range(seconds * 10):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
                if answer.status == 200:
                    return True
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.1)
    return False


params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.hostnames = ["127.0.0.1"]
params.port = free_port()
params.n_ctx = int(sys.argv[2])
params.n_parallel = 1
# One thread: two wait for each other where a core is taken by somebody else.
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
if not wait_until_ready(params.port, 120):
    sys.exit("the model did not load within two minutes")
print(f"port {params.port}", flush=True)
sys.stdin.read()
