//! Cues: words that show what a sentence does. Owns the lists.
//! A first honest version: lists of words in several languages, no grammar.

/// What a cue announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cue {
    /// A choice.
    Decision,
    /// Something finished.
    Done,
    /// Something to come.
    Next,
    /// A failure.
    Error,
}

impl Cue {
    /// Words and phrases of languages that part words with blanks: English, German, French,
    /// Spanish, Portuguese, Italian, Russian, Arabic.
    const fn spaced(self) -> &'static str {
        match self {
            Self::Decision => {
                "decided|decision|decide|we will use|we'll use|let's use|let's go with|\
                go with|going with|agreed|instead of|switch to|switched to|chose|chosen|\
                opted|settled on|the plan is|entschieden|wir nehmen|décidé|decidido|\
                decidimos|deciso|решили|решено"
            }
            Self::Done => {
                "done|fixed|implemented|added|finished|completed|merged|passes|pass|passed|\
                works now|removed|created|renamed|updated|deployed|erledigt|fertig|terminé|\
                hecho|listo|feito|fatto|готово"
            }
            Self::Next => {
                "next|todo|remaining|still need|still needs|still have to|follow up|\
                will need to|afterwards|still to do|still open|to be done|pending|als nächstes|\
                noch offen|noch zu tun|ensuite|à faire|después|pendiente|por hacer|pendente|\
                ainda falta|далее"
            }
            Self::Error => {
                "error|errors|failed|failure|panicked|exception|traceback|fatal|denied|\
                not found|no such file|undefined|segfault|timeout|timed out|exit code|\
                cannot find"
            }
        }
    }

    /// Parts of words, for Chinese, Japanese, Korean and Thai.
    const fn unspaced(self) -> &'static str {
        match self {
            Self::Decision => "决定|決定|采用|改用|決め|採用|결정",
            Self::Done => "完成|修复|已经|完了|修正し|완료",
            Self::Next => "接下来|下一步|待办|次に|다음",
            Self::Error => "错误|失败|エラー|失敗|오류|실패",
        }
    }
}

/// A sentence ready to be asked for cues.
pub(super) struct Cued {
    padded: String,
}

impl Cued {
    pub(super) fn new(sentence: &str) -> Self {
        let mut padded = String::with_capacity(sentence.len() + 2);
        padded.push(' ');
        for character in sentence.chars() {
            match character {
                '’' | '\'' => padded.push('\''),
                _ if character.is_alphanumeric() => padded.extend(character.to_lowercase()),
                // Marks of scripts that combine stay with their letters.
                _ if !character.is_ascii() && !character.is_whitespace() => padded.push(character),
                _ if padded.ends_with(' ') => {}
                _ => padded.push(' '),
            }
        }
        padded.push(' ');
        Self { padded }
    }

    /// Says whether the sentence shows a cue.
    pub(super) fn shows(&self, cue: Cue) -> bool {
        let is_spaced = cue.spaced().split('|').any(|words| {
            self.padded.match_indices(words).any(|(at, found)| {
                let before = self.padded.get(..at).unwrap_or_default();
                let after = self.padded.get(at + found.len()..).unwrap_or_default();
                before.ends_with(' ') && after.starts_with(' ')
            })
        });
        is_spaced
            || (!self.padded.is_ascii()
                && cue
                    .unspaced()
                    .split('|')
                    .any(|piece| self.padded.contains(piece)))
    }
}
