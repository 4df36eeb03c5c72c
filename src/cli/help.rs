//! What some commands say below their options.

/// Below `import`: where transcripts are looked for and what the columns count.
pub(super) const IMPORT_HELP: &str = "\
Without a path the known places of every agent are looked through, and what lay
in each is told: Claude Code's ~/.claude/projects (or in $CLAUDE_CONFIG_DIR),
Codex's ~/.codex/sessions (or in $CODEX_HOME), the Gemini CLI's ~/.gemini/tmp,
Kimi's ~/.kimi-code/sessions and those of the others. A file that only grows is
read on from where it ended; one that is written anew is read again when it has
changed.

Formats: aider, chatgpt, claude-ai, claude-code, codex, gemini-cli, goose, kimi,
openclaw, opencode, openhands, pi, picoclaw, swe-agent

Each record of a file is counted once:
  stored   it gave or joined a message of the conversation
  meta     it is no talk: settings, snapshots of files, titles
  known    it was there before, from this file or another
  refused  it cannot be read; the line and the reason are told
  pending  it is a last line without an end, read when the file has grown

Examples:
  hippocamp import
  hippocamp import ~/old-sessions --dry-run
  hippocamp import --watch";

/// Below `hook`: what it reads, does and never does.
pub(super) const HOOK_HELP: &str = "\
Reads the event's JSON from standard input and takes in what is new in the
transcript it names, and in those of sub-agents. After a compaction it answers
with the pins of the conversation and how the rest is found again. Whatever goes
wrong it ends with 0, in 5 seconds at most, and says why in hippocamp/hook.log
in the state folder (~/.local/state on Linux).

Example:
  echo '{\"hook_event_name\":\"Stop\",\"transcript_path\":\"talk.jsonl\"}' |
      hippocamp hook claude-code";

/// Below `install`: which files are edited, and how.
pub(super) const INSTALL_HELP: &str = "\
For claude-code and --scope user the hooks go into ~/.claude/settings.json and
the server into ~/.claude.json, or into the folder that CLAUDE_CONFIG_DIR names;
with --scope project into .claude/settings.json and .mcp.json of the current
folder. Both name this program by its absolute path, and --db and --config if
they are given, or HIPPOCAMP_DB and HIPPOCAMP_CONFIG are set. What stands in the
files stays as it is; the changed lines are shown. Twice changes nothing, and
`uninstall` takes exactly that out again.

Examples:
  hippocamp install claude-code --dry-run
  hippocamp install claude-code
  hippocamp install claude-code --scope project";

/// Below `append`: the form of a message.
pub(super) const MESSAGE_HELP: &str = "\
A message: {\"role\", \"content\", \"time\"?, \"name\"?, \"model\"?, \"provider\"?,
           \"key\"?, \"meta\"?, \"replay\"?}
  role     user, assistant, tool or system; developer, function and toolResult
           are read too
  content  a text, or a list of blocks: {\"type\":\"text\",\"text\"},
           {\"type\":\"reasoning\",\"text\",\"signature\"?},
           {\"type\":\"tool_use\",\"call_id\",\"name\",\"arguments\"},
           {\"type\":\"tool_result\",\"call_id\",\"content\",\"is_error\"?},
           {\"type\":\"media\",\"uri\",\"mime\"};
           a block of another type is kept as it is
  key      the message is stored once under it, however often it is sent
  meta     true for what is kept but is no talk
  replay   only from an export: how the row stood, where the usual rules would
           place it otherwise; without a time it then has none
A bad line is refused by its number and the others are stored (exit 4). With
--sync one bad line refuses all, since a history with a hole in it would be
another history. So does --from, which takes one body of a model's interface
instead of lines: what its calls, pictures and signatures are stays.

Examples:
  echo '{\"role\":\"user\",\"content\":\"hello\"}' | hippocamp append --session main
  hippocamp append --session main --sync < history.ndjson
  hippocamp append --session main --sync --from anthropic < request.json";

/// Below `status`: what the columns mean.
pub(super) const STATUS_HELP: &str = "\
Pressure is what a view without a limit would hold, in tokens. Past 100 % of the
budget a view leaves out the oldest of it until that is summarised; the last
column counts the messages that are due for it.

Example:
  hippocamp status";

/// Below `events`: what the columns mean.
pub(super) const EVENTS_HELP: &str = "\
Old to new. What happened:
  leaf, condense   messages, or summaries, were summarised
  repair           a summary was written anew
  promote          prepared summaries came into view
  clear, recount   old tool results became a line each; caps on them changed
  pin              a pin was made, or came to stand elsewhere
  call, calibrate  a model was asked; its provider's count was noted
  window           views got another size
  fork, switch     a branch began; the key came to name another branch
seq are the messages concerned, summary the one that was written, tokens what a
view without a limit would hold before and after, of a call in `reason` what it
cost, beside its model and what came of it.

Example:
  hippocamp events --session main";

/// Below `export`: what each form is for.
pub(super) const EXPORT_HELP: &str = "\
markdown is for reading. ndjson is for `hippocamp append`: appended to an empty
conversation it gives the same messages, byte for byte, with their keys, times
and parts. Both hold every row, also what is no talk and what branches inherit.
Files are named for the conversation's number and key, and none is overwritten.

Examples:
  hippocamp export --session main
  hippocamp export --session main --format ndjson > main.ndjson
  hippocamp append --session copy < main.ndjson
  hippocamp export --all --since 2026-01-01 --to exported";

/// Below `doctor`: what a repair may touch.
pub(super) const REPAIR_HELP: &str = "\
--repair says what could be repaired and does nothing; with --yes a copy of the
store is made beside it, and what is derived is made anew: the search index,
counters, pointers, the sequence of ids, triggers and SQLite's own indexes.
Messages and summaries are never touched: damage in them is named, not repaired.

Examples:
  hippocamp doctor
  hippocamp doctor --repair
  hippocamp doctor --repair --yes";

/// Below `mcp`: how a client starts it, and what binds a call.
#[cfg(feature = "mcp")]
pub(super) const MCP_HELP: &str = "\
A client starts it and speaks with it on its standard input and output; what
else it says stands on stderr. It has the tools short_grep and short_expand.

With --session every call is about that conversation, and no call can name
another. Without it each call names its own in the argument `session`. With
`all_conversations` a search looks into the whole store, also from a bound
server, since a store is one agent's; --confine refuses that.

With `remember` and `context` a host keeps its whole loop here: it stores what
is new with the one and asks with the other for what its model should see,
within --window. They are not for models.

In a client's settings:
  {\"mcpServers\": {\"memory\": {\"command\": \"hippocamp\",
    \"args\": [\"mcp\", \"--session\", \"main\"]}}}

With --http clients come to http://ADDR/mcp instead. The header
Hippocamp-Session binds a request to a conversation (percent encoded where it
is not ASCII). Requests to hosts and from pages of other machines are refused
unless allowed. A token stands in HIPPOCAMP_MCP_TOKEN or in a file, and clients
send it as `Authorization: Bearer TOKEN`; an address that other machines reach
needs one.

Examples:
  hippocamp mcp --session main --with short_compact,pin
  hippocamp mcp --http 127.0.0.1:8000 --token-file token.txt";

/// Stands below the help of `grep`.
pub(super) const PATTERN_HELP: &str = "\
Pattern: words (all must match; with three or more, rows with only some may
fill the list), \"a phrase\", prefix*, %any substring%, and AND, OR, NOT in
capitals between words, with parentheses. Case and word endings are ignored:
deploy finds Deployed. A leading minus excludes nothing: write `x NOT y`.
A pattern that begins with - comes after --. /a regular expression/ is looked
for in either case, in time linear in the text; one with blanks is the whole
pattern, or has \\s for them. `read as` says how a pattern was understood: a+b
are words side by side.

Fields say what a row must be, anywhere in the pattern; a value with blanks
stands in quotes, and a field in quotes is text:
  role:user  kind:tool_result  tool:Bash  path:src/x.rs  model:NAME
  session:KEY  project:DIR  is:error  depth:0
  after:2026-01-02  before:2026-02-01  last:7d
Kinds are text, reasoning (searched only so), tool_use, tool_result, other,
meta and summary. depth: is of summaries; tool: finds calls and their results.

Where a row stands, after its time (with --json in `standing`, with _ between):
  in view       the model would see it as it is
  under s12     the model would see that summary instead
  other branch  its conversation was branched before it and has left it behind
  hidden        it is kept and is no talk: what the host put in, an older prompt
  not live      a summary that another has replaced, or that is not in use yet

Examples:
  hippocamp grep 'staging bucket'
  hippocamp grep '\"connection refused\" NOT redis' --role tool --last 7d
  hippocamp grep '%retry_after_ms%' --session main --since 2026-01-02
  hippocamp grep 'is:error tool:Bash /exit.code.[1-9]/' --sort time
  hippocamp grep 'staging port' -C 1
  hippocamp grep -- -foo";

/// Below `tools`.
pub(super) const TOOLS_HELP: &str = "\
Prints the value of `tools` in a request, one JSON array. With --strict (openai,
openai-responses, anthropic) the model can call them in no other way; OpenAI
then wants every argument given, and null for what is left out, which they take.

Examples:
  hippocamp tools --format openai
  hippocamp tools --format anthropic --with short_compact,pin --strict";

/// What is told of pins.
pub(super) const PIN_HELP: &str = "\
Pins stand in every view, whatever is summarised. What users forbid or demand is
pinned by itself (`auto_pins`). All pins together may take 10 % of the budget.
The same words are one pin: pinning them again changes nothing.

Examples:
  hippocamp pin --session main 'never push to the main branch'
  hippocamp pin --session main --kind fact --message 42 'the port is 8443'
  hippocamp pin --accept p57              make a proposed pin live";
