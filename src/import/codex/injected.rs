//! What the host says in the user's name. Owns how injected context is told from a prompt.
//! May not change what is said.

/// Wrappers of what the host puts into the talk.
const WRAPPERS: &[&str] = &[
    "app-context",
    "collaboration_mode",
    "environment_context",
    "hook_prompt",
    "permissions instructions",
    "personality_spec",
    "plugins_instructions",
    "recommended_plugins",
    "skill",
    "skills_instructions",
    "subagent_notification",
    "turn_aborted",
    "user_action",
    "user_instructions",
    "user_shell_command",
];

/// Beginnings of what it puts there without a wrapper.
const OPENINGS: &[&str] = &[
    "# AGENTS.md instructions for ",
    "# AGENTS.md instructions\n",
];

/// Returns whether a text is the host's.
pub(super) fn is_injected(text: &str) -> bool {
    let text = text.trim();
    if OPENINGS.iter().any(|opening| text.starts_with(opening)) {
        return true;
    }
    let Some(rest) = text.strip_prefix('<') else {
        return false;
    };
    let opens = |wrapper: &&&str| {
        rest.strip_prefix(**wrapper)
            .is_some_and(|rest| rest.starts_with(['>', ' ', '\n']))
    };
    WRAPPERS
        .iter()
        .find(opens)
        .is_some_and(|wrapper| text.ends_with(&format!("</{wrapper}>")))
}
