#!/bin/sh
# Installs the peers that the registry of Python serves, each in its pinned version, into FOLDER.
# usage: setup.sh FOLDER; then FOLDER/bin/python runs the drivers beside this file.
# A peer that cannot be had is named with the reason, and is no failure: the others are compared.
set -u
folder=${1:?usage: setup.sh FOLDER}

without() {
    echo "not here: $1: $(tail -n 1 "$folder/setup.log" 2>/dev/null || echo "$2")"
}

add() { # add NAME==VERSION [OPTION]
    if "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-input \
        ${2:+"$2"} "$1" >"$folder/setup.log" 2>&1; then
        echo "here: $1"
    else
        without "$1" "pip failed"
    fi
}

mkdir -p "$folder" || exit 1
if ! python3 -m venv "$folder" >"$folder/setup.log" 2>&1; then
    without "all peers in Python" "no python3 with venv"
    exit 0
fi
add openai-agents==0.24.0
# Its session store imports nothing but Python's own library.
add hermes-agent==0.19.0 --no-deps
add agentsview==0.46.1
rm -f "$folder/setup.log"
