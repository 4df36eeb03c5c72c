//! Cues: words that show what a sentence does. Owns the lists.
//! A first honest version: lists of words in several languages, no grammar.

/// What a cue announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cue {
    /// A demand or a ban.
    Demand,
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
            Self::Demand => {
                "never|don't|dont|do not|must|mustn't|must not|always|only|avoid|make sure|\
                under no circumstances|should not|shouldn't|not allowed|required|require|\
                forbidden|at most|at least|without|cannot|no more than|keep in mind|\
                remember to|prefer|no longer|nie|niemals|immer|nur|muss|müssen|\
                darf nicht|dürfen nicht|bitte nicht|bitte kein|bitte keine|auf keinen fall|\
                unbedingt|stets|verboten|ohne|vermeide|ausschließlich|jamais|toujours|ne pas|\
                doit|dois|doivent|seulement|uniquement|il faut|il ne faut|interdit|sans|\
                évite|évitez|obligatoire|nunca|siempre|debe|debes|deben|solo|sólo|solamente|\
                prohibido|evita|hay que|no uses|no hagas|sempre|deve|devem|somente|\
                apenas|não use|não faça|soltanto|vietato|senza|non usare|никогда|всегда|\
                нельзя|только|должен|должна|должно|должны|обязательно|запрещено|не надо|без|\
                не используй|يجب|دائما|دائمًا|فقط|ممنوع|أبدا|أبدًا"
            }
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
                will need to|afterwards|als nächstes|ensuite|después|далее"
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
            Self::Demand => {
                "不要|必须|必須|一定要|禁止|不能|不得|只能|只用|总是|永远|务必|不可|别|ないで|必ず|絶対|だけ|してはいけ|常に|ないこと|하지 마|\
                하지마|반드시|항상|절대|금지|말 것|말아|ห้าม|ต้อง|เสมอ"
            }
            Self::Decision => "决定|決定|采用|改用|決め|採用|결정",
            Self::Done => "完成|修复|已经|完了|修正し|완료",
            Self::Next => "接下来|下一步|次に|다음",
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
