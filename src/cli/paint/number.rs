//! Counts and sizes as people read them.

use crate::domain::Span;

/// Returns a count with a comma between thousands.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (digit_idx, digit) in digits.chars().enumerate() {
        if digit_idx > 0 && (digits.len() - digit_idx).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Returns a count with its noun, as `1 row` and `2 rows`.
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// Returns the place of messages in their conversation, as `seq 5` and `seq 5-9`.
pub(crate) fn place(span: Span) -> String {
    if span.n_rows() == 1 {
        format!("seq {}", span.first())
    } else {
        format!("seq {span}")
    }
}

/// Returns a size in the largest unit that leaves a whole part, with one decimal.
pub(crate) fn bytes(size: u64) -> String {
    const UNITS: [(u64, &str); 4] = [
        (1 << 40, "TiB"),
        (1 << 30, "GiB"),
        (1 << 20, "MiB"),
        (1 << 10, "KiB"),
    ];
    match UNITS.into_iter().find(|(unit, _)| size >= *unit) {
        Some((unit, name)) => {
            let tenths = size / unit * 10 + size % unit * 10 / unit;
            format!("{}.{} {name}", tenths / 10, tenths % 10)
        }
        None => format!("{size} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Seq;

    #[test]
    fn one_is_no_plural() {
        let rows = |number| counted(number, "row", "rows");
        assert_eq!(
            [rows(0), rows(1), rows(1_000)],
            ["0 rows", "1 row", "1,000 rows"]
        );
        let span = |last| Span::new(Seq::FIRST, Seq::new(last).unwrap()).unwrap();
        assert_eq!([place(span(1)), place(span(2))], ["seq 1", "seq 1-2"]);
    }

    #[test]
    fn thousands_are_grouped() {
        for (number, want) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(count(number), want);
        }
    }

    #[test]
    fn a_noun_goes_by_its_count() {
        assert_eq!(counted(0, "file", "files"), "0 files");
        assert_eq!(counted(1, "file", "files"), "1 file");
        assert_eq!(counted(1200, "file", "files"), "1,200 files");
    }

    #[test]
    fn sizes_take_the_largest_unit() {
        for (size, want) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1_600_000, "1.5 MiB"),
            (u64::MAX, "16777215.9 TiB"),
        ] {
            assert_eq!(bytes(size), want);
        }
    }
}
