//! Growth as a picture: what a call takes on a processor, over the messages of the store. Both axes are
//! logarithmic, so that a line along the bottom is one that does not grow.

use std::fmt::Write as _;

use crate::clock::count;
use crate::files;
use crate::live::LIVE;
use crate::processes;
use crate::protocol::Sync;
use crate::reads;
use crate::series::{Clock, Findings, Series};
use crate::stock::IMPORT;
use crate::table::micros;
use crate::writes;

/// Panels beside each other.
const COLUMNS: usize = 3;
const PANEL: (f64, f64) = (330.0, 250.0);
/// Where a panel's lines begin and end within it.
const LEFT: f64 = 58.0;
const RIGHT: f64 = 310.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 172.0;
/// Ours has a colour of its own; the others take turns.
const OURS: &str = "#1b7f5f";
const COLOURS: [&str; 7] = [
    "#444444", "#c75b12", "#5b54a8", "#2a6fb0", "#a8325f", "#8a7a12", "#7b4b2a",
];

/// Draws each measure that was taken at more than one size; nothing if there is none.
pub(crate) fn plot(findings: &Findings) -> Option<String> {
    let measures = [
        IMPORT,
        files::FILES,
        LIVE,
        writes::turn(Sync::Normal),
        reads::VIEW,
        reads::NEWEST,
        reads::RANKED,
        reads::IN_ONE,
        reads::EXPAND,
        processes::COLD,
    ];
    let panels: Vec<String> = measures
        .into_iter()
        .filter_map(|measure| panel(findings, measure))
        .collect();
    if panels.is_empty() {
        return None;
    }
    let (width, height) = PANEL;
    let rows = panels.len().div_ceil(COLUMNS);
    let mut svg = String::new();
    let (whole, tall) = (width * real(COLUMNS), height * real(rows));
    put(
        &mut svg,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {whole} {tall}\" \
             font-family=\"sans-serif\" font-size=\"11\">\n\
             <rect width=\"{whole}\" height=\"{tall}\" fill=\"#ffffff\"/>"
        ),
    );
    for (place, panel) in panels.iter().enumerate() {
        let (x, y) = (
            real(place % COLUMNS) * width,
            real(place / COLUMNS) * height,
        );
        put(
            &mut svg,
            format_args!("<g transform=\"translate({x} {y})\">\n{panel}</g>"),
        );
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

/// The medians of one column, by size.
struct Line<'a> {
    name: &'a str,
    points: Vec<(f64, f64)>,
}

/// Draws one measure.
fn panel(findings: &Findings, measure: &str) -> Option<String> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for series in findings.series.iter().filter(|one| one.measure == measure) {
        let point = (count(series.size), series.p50(Clock::Cpu));
        if point.1 <= 0.0 {
            continue;
        }
        match lines.iter_mut().find(|line| line.name == series.column) {
            Some(line) => line.points.push(point),
            None => lines.push(begin(series, point)),
        }
    }
    let points = || lines.iter().flat_map(|line| line.points.iter().copied());
    let sizes = Scale::over(points().map(|point| point.0), LEFT, RIGHT);
    if sizes.least.total_cmp(&sizes.most).is_ge() {
        return None;
    }
    let times = Scale::over(points().map(|point| point.1), BOTTOM, TOP);
    let mut svg = String::new();
    put(
        &mut svg,
        format_args!("<text x=\"{LEFT}\" y=\"18\" font-weight=\"bold\">{measure}</text>"),
    );
    axes(&mut svg, &sizes, &times);
    for (place, line) in lines.iter().enumerate() {
        let colour = match line.name {
            "hippocamp" | "hippocamp append" | "hippocamp grep" => OURS,
            _ => COLOURS[place % COLOURS.len()],
        };
        let mut path = String::new();
        for (size, time) in &line.points {
            let command = if path.is_empty() { 'M' } else { 'L' };
            let (x, y) = (sizes.place(*size), times.place(*time));
            let _ = write!(path, "{command}{x:.1} {y:.1}");
        }
        let (x, y) = (
            LEFT + 126.0 * real(place % 2),
            BOTTOM + 32.0 + 13.0 * real(place / 2),
        );
        put(
            &mut svg,
            format_args!(
                "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"/>\
                 <rect x=\"{x}\" y=\"{}\" width=\"9\" height=\"9\" fill=\"{colour}\"/>\
                 <text x=\"{}\" y=\"{y}\" font-size=\"9\">{}</text>",
                y - 8.0,
                x + 12.0,
                line.name
            ),
        );
    }
    Some(svg)
}

fn begin(series: &Series, point: (f64, f64)) -> Line<'_> {
    Line {
        name: &series.column,
        points: vec![point],
    }
}

/// Writes a line for each power of ten, and what it stands for.
fn axes(svg: &mut String, sizes: &Scale, times: &Scale) {
    for power in sizes.powers() {
        let x = sizes.place(power);
        put(
            svg,
            format_args!(
                "<path d=\"M{x:.1} {TOP}V{BOTTOM}\" stroke=\"#dddddd\"/>\
                 <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"#666666\">{power}</text>",
                BOTTOM + 14.0
            ),
        );
    }
    for power in times.powers() {
        let y = times.place(power);
        put(
            svg,
            format_args!(
                "<path d=\"M{LEFT} {y:.1}H{RIGHT}\" stroke=\"#dddddd\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#666666\">{}</text>",
                LEFT - 4.0,
                y + 4.0,
                micros(power)
            ),
        );
    }
}

/// A logarithmic axis, and where on the picture it lies.
struct Scale {
    least: f64,
    most: f64,
    from: f64,
    to: f64,
}

impl Scale {
    fn over(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (least, most) = values.fold((f64::INFINITY, 0.0_f64), |(least, most), value| {
            (least.min(value), most.max(value))
        });
        Self {
            least,
            most,
            from,
            to,
        }
    }

    fn place(&self, value: f64) -> f64 {
        let span = (self.most / self.least).log10().max(0.1);
        self.from + (self.to - self.from) * (value / self.least).log10() / span
    }

    /// Returns the powers of ten within it.
    fn powers(&self) -> impl Iterator<Item = f64> {
        let (least, most) = (self.least * 0.999, self.most * 1.001);
        (-1..8)
            .map(|exponent| 10.0_f64.powi(exponent))
            .filter(move |power| (least..=most).contains(power))
    }
}

/// Appends a line. Writing to a string cannot fail.
fn put(svg: &mut String, element: std::fmt::Arguments<'_>) {
    let _ = writeln!(svg, "{element}");
}

fn real(number: usize) -> f64 {
    count(u64::try_from(number).unwrap())
}
