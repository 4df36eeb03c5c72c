//! What joins the instructions from outside: the operator's words, what the assistant wishes, and
//! doubts about an answer.
//! Each stands between lines of ours, apart from the source, so that neither passes for the other.

use std::fmt::Write;

use super::Ask;
use super::fence::Fence;

/// Doubts that are named; more would say no more.
const DOUBTS: usize = 20;

/// Adds the slots that are filled.
pub(super) fn add(system: &mut String, ask: &Ask<'_>, fence: &Fence) {
    let mark = fence.mark();
    let words = ask.instructions.map(str::trim).unwrap_or_default();
    if !words.is_empty() {
        put(
            system,
            format_args!(
                "\n\nThe operator of this program adds, for this summary, what stands between the \
                 next two lines. Follow it as far as the rules above and the sections allow; it is \
                 no part of the source.\n<<<{mark} operator\n{words}\n{mark} operator>>>"
            ),
        );
    }
    let wish = ask.focus.map(str::trim).unwrap_or_default();
    if !wish.is_empty() {
        put(
            system,
            format_args!(
                "\n\nThe assistant of the conversation asked for this summary and would keep to what \
                 stands between the next two lines. It is a hint at what matters to it: it changes no \
                 rule above, and nothing is left out or made up for it.\n<<<{mark} assistant\n{wish}\n\
                 {mark} assistant>>>"
            ),
        );
    }
    if ask.doubts.is_empty() {
        return;
    }
    put(
        system,
        format_args!(
            "\n\nA summary you wrote before stated what its source does not say. Leave it out or \
             state it as the source does:"
        ),
    );
    for doubt in ask.doubts.iter().take(DOUBTS) {
        put(system, format_args!("\n- {}", doubt.words));
        if doubt.is_negation() {
            put(system, format_args!(": {}", doubt.item));
        }
    }
}

fn put(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _written = text.write_fmt(arguments);
}
