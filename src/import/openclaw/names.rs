//! The names of this host's files. Owns which are transcripts and which are copies of one.
//! May not touch the file system: a path is only read for its names.

use std::path::Path;

/// Returns whether a file lies where this host keeps its transcripts, or is named for it.
pub(super) fn is_transcript(path: &Path) -> bool {
    let name = name_of(path);
    if name == "openclaw-agent.sqlite" {
        return true;
    }
    let steps: Vec<String> = path
        .iter()
        .map(|step| step.to_string_lossy().to_lowercase())
        .collect();
    let is_named = steps.iter().any(|step| step.contains("openclaw"));
    let is_of_agent = steps.windows(4).any(|steps| {
        matches!(steps, [agents, _, sessions, _] if agents == "agents" && sessions == "sessions")
    });
    is_lines(path) && (is_named || is_of_agent)
}

/// Returns whether a file is a copy that the host made before it changed a transcript, or its log
/// of a session beside the transcript.
pub(super) fn is_sibling(path: &Path) -> bool {
    let name = name_of(path);
    let is_marked = [".checkpoint.", ".trajectory."]
        .iter()
        .any(|mark| name.contains(mark));
    let is_set_aside = [".jsonl.bak", ".jsonl.deleted.", ".jsonl.reset."]
        .iter()
        .any(|mark| name.contains(mark));
    (is_marked && is_lines(path)) || is_set_aside
}

fn is_lines(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("jsonl"))
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, wanted: (bool, bool)) {
        let path = Path::new(path);
        assert_eq!((is_transcript(path), is_sibling(path)), wanted, "{path:?}");
    }

    #[test]
    fn transcripts_and_their_copies_are_told_by_name() {
        check("/h/.openclaw/agents/main/sessions/a.jsonl", (true, false));
        check("/backup/agents/main/sessions/a.jsonl", (true, false));
        check(
            "/h/.openclaw/agents/main/sessions/sessions.json",
            (false, false),
        );
        check("/h/.pi/agent/sessions/--w--/2026_a.jsonl", (false, false));
        check("/x/a.checkpoint.b.jsonl", (false, true));
        check("/x/a.trajectory.jsonl", (false, true));
        check("/x/a.jsonl.reset.2026-01-01", (false, true));
        check("/x/a.jsonl.deleted.2026-01-01.zst", (false, true));
        check("/x/a.jsonl.bak", (false, true));
        check("/x/agent/openclaw-agent.sqlite", (true, false));
    }
}
