//! Signs in a sentence: words of demand and of taking back.

/// What a sentence shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Says {
    pub(super) sets: bool,
    pub(super) lifts: bool,
}

const DEMANDS: &str = "never|don't|dont|do not|must|mustn't|must not|always|only|avoid|make sure|\
    under no circumstances|should not|shouldn't|not allowed|required|require|forbidden|at most|\
    at least|without|cannot|no more than|keep in mind|remember to|prefer|from now on|nie|niemals|\
    immer|nur|muss|müssen|darf nicht|dürfen nicht|bitte nicht|bitte kein|bitte keine|\
    auf keinen fall|unbedingt|stets|verboten|ohne|vermeide|ausschließlich|ab jetzt|jamais|toujours|\
    ne pas|doit|dois|doivent|seulement|uniquement|il faut|il ne faut|interdit|sans|évite|évitez|\
    obligatoire|désormais|nunca|siempre|debe|debes|deben|solo|sólo|solamente|prohibido|evita|\
    hay que|no uses|no hagas|sempre|deve|devem|somente|apenas|não use|não faça|soltanto|vietato|\
    senza|non usare|никогда|всегда|нельзя|только|должен|должна|должно|должны|обязательно|\
    запрещено|не надо|без|не используй|يجب|دائما|دائمًا|فقط|ممنوع|أبدا|أبدًا";

const DEMAND_PIECES: &str = "不要|必须|必須|一定要|禁止|不能|不得|只能|只用|总是|永远|务必|不可|别|\
    ないで|必ず|絶対|だけ|してはいけ|常に|ないこと|하지 마|하지마|반드시|항상|절대|금지|말 것|말아|\
    ห้าม|ต้อง|เสมอ";

const LIFTS: &str = "no longer need|no longer required|not required anymore|you may now|\
    you can now|you may again|may again|is fine again|is ok again|forget the rule|forget about|\
    ignore the rule|drop the rule|scrap the rule|instead of|no longer applies|\
    nicht mehr nötig|vergiss die regel|darfst wieder|statt|oublie la règle|au lieu de|\
    n'est plus nécessaire|ya no hace falta|olvida la regla|en lugar de|em vez de|\
    esqueça a regra|não precisa mais|pode voltar a";

const LIFT_PIECES: &str =
    "不再需要|不用再|可以再|忘掉|而不是|もう不要|でもいいです|の代わりに|忘れて";

/// Reads what a sentence does, by the words it holds. A question does nothing.
pub(super) fn read(sentence: &str) -> Says {
    if sentence.ends_with(['?', '？', '؟']) {
        return Says::default();
    }
    let padded = padded(sentence);
    Says {
        sets: holds(&padded, DEMANDS, DEMAND_PIECES),
        lifts: holds(&padded, LIFTS, LIFT_PIECES),
    }
}

fn holds(padded: &str, words: &str, pieces: &str) -> bool {
    let has_word = words.split('|').any(|word| {
        padded.match_indices(word).any(|(at, found)| {
            let before = padded.get(..at).unwrap_or_default();
            let after = padded.get(at + found.len()..).unwrap_or_default();
            before.ends_with(' ') && after.starts_with(' ')
        })
    });
    has_word || (!padded.is_ascii() && pieces.split('|').any(|piece| padded.contains(piece)))
}

/// Writes a sentence in small letters, its words between single blanks.
fn padded(sentence: &str) -> String {
    let mut padded = String::with_capacity(sentence.len() + 2);
    padded.push(' ');
    for character in sentence.chars() {
        match character {
            '’' | '\'' => padded.push('\''),
            _ if character.is_alphanumeric() => padded.extend(character.to_lowercase()),
            _ if !character.is_ascii() && !character.is_whitespace() => padded.push(character),
            _ if padded.ends_with(' ') => {}
            _ => padded.push(' '),
        }
    }
    padded.push(' ');
    padded
}
