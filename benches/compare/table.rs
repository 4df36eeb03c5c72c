//! Tables in Markdown: a measure at a size, with a row for each column measured.

use crate::series::{Clock, Findings, Ratio, Series};

/// Prints the tables of one measure, at all sizes, each against its reference.
pub(crate) fn print(findings: &Findings, measure: &str, unit: &str, reference: &str) {
    let mut sizes: Vec<u64> = Vec::new();
    for series in findings.series.iter().filter(|one| one.measure == measure) {
        if !sizes.contains(&series.size) {
            sizes.push(series.size);
        }
    }
    for size in sizes {
        println!("\n### {measure}, {size} messages ({unit})\n");
        println!(
            "| | wall p50 | wall p99 | CPU p50 | CPU p99 | CPU of {reference} | wall of it | count | bytes |"
        );
        println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
        let base = findings.series(measure, size, reference);
        let rows = findings.series.iter();
        for series in rows.filter(|one| one.measure == measure && one.size == size) {
            let [wall, cpu] = [Clock::Wall, Clock::Cpu];
            let samples = series.rounds.iter().map(Vec::len).sum::<usize>().max(1);
            let samples = u64::try_from(samples).unwrap();
            println!(
                "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                series.column,
                micros(series.p50(wall)),
                micros(series.p99(wall)),
                micros(series.p50(cpu)),
                micros(series.p99(cpu)),
                against(series, base, cpu),
                against(series, base, wall),
                series.count / samples,
                series.bytes / samples
            );
        }
    }
}

fn against(series: &Series, base: Option<&Series>, clock: Clock) -> String {
    match base {
        Some(base) if base.column != series.column => ratio(series.to(base, clock)),
        Some(_) => "1".to_owned(),
        None => "–".to_owned(),
    }
}

/// Writes a ratio with its spread.
pub(crate) fn ratio(ratio: Ratio) -> String {
    let Ratio {
        median,
        least,
        most,
    } = ratio;
    format!("{}× ({}–{})", short(median), short(least), short(most))
}

/// Writes a number with as many digits as it is worth.
pub(crate) fn short(number: f64) -> String {
    if number >= 100.0 {
        format!("{number:.0}")
    } else if number >= 10.0 {
        format!("{number:.1}")
    } else {
        format!("{number:.2}")
    }
}

/// Writes microseconds in a unit that fits.
pub(crate) fn micros(micros: f64) -> String {
    if micros >= 1e6 {
        format!("{} s", short(micros / 1e6))
    } else if micros >= 1e3 {
        format!("{} ms", short(micros / 1e3))
    } else {
        format!("{} µs", short(micros))
    }
}
