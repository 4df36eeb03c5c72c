//! The fence. Owns a mark that the fenced text does not hold, so that it can neither close the
//! fence nor forge a line of ours.

/// A mark made from the text it fences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fence {
    mark: String,
}

impl Fence {
    /// Makes a mark that stands in none of `texts`. The same texts give the same mark.
    pub(super) fn around<'text>(texts: &(impl Iterator<Item = &'text str> + Clone)) -> Self {
        Self::from_seed(texts.clone().fold(0xcbf2_9ce4_8422_2325, mix), texts)
    }

    /// Makes the first mark from `seed` on that stands in none of `texts`.
    pub(super) fn from_seed<'text>(
        mut seed: u64,
        texts: &(impl Iterator<Item = &'text str> + Clone),
    ) -> Self {
        loop {
            let mark = format!("#{:08x}", seed >> 32);
            if !texts.clone().any(|text| text.contains(&mark)) {
                return Self { mark };
            }
            // A text holds finitely many marks, so this ends; a text cannot aim at the mark
            // either, since each change of it changes the mark.
            seed = mix(seed, &mark);
        }
    }

    /// Returns the mark.
    pub(super) fn mark(&self) -> &str {
        &self.mark
    }

    /// Returns the line that opens the data.
    pub(super) fn open(&self) -> String {
        format!("<<<{}\n", self.mark)
    }

    /// Returns the line that closes the data.
    pub(super) fn close(&self) -> String {
        format!("{}>>>\n", self.mark)
    }
}

/// Returns `text` with each run of lines between lines of ours as `clean` gives it back. Lines of
/// ours stay byte for byte, and each stays a line, whatever stands around it.
pub(super) fn with_bodies(text: &str, mut clean: impl FnMut(&str) -> String) -> String {
    let opening = text.lines().next().unwrap_or_default();
    let Some(mark) = opening.strip_prefix("<<<").filter(|mark| !mark.is_empty()) else {
        return clean(text);
    };
    let is_ours = |line: &str| line.starts_with(mark) || line.trim_end() == opening;
    let mut whole = String::with_capacity(text.len());
    let mut body_start = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if is_ours(line) {
            put_body(&mut whole, text.get(body_start..at), &mut clean);
            whole.push_str(line);
            body_start = end;
        }
        at = end;
    }
    put_body(&mut whole, text.get(body_start..), &mut clean);
    whole
}

fn put_body(whole: &mut String, body: Option<&str>, clean: &mut impl FnMut(&str) -> String) {
    let body = body.unwrap_or_default();
    if body.is_empty() {
        return;
    }
    match body.strip_suffix('\n') {
        Some(lines) => {
            whole.push_str(&clean(lines));
            whole.push('\n');
        }
        None => whole.push_str(&clean(body)),
    }
}

/// FNV-1a over 64 bits, with the length mixed in so that neighbours cannot trade letters.
fn mix(seed: u64, text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = text.bytes().fold(seed, step);
    let mixed = (hash ^ text.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}
