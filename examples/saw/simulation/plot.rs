//! The saw as a picture: tokens of the view, request by request. One row a window: on the left the
//! whole session, between the least and the most of each stretch; on the right some turns of it.

use std::fmt::Write as _;

use super::run::{Mode, Sample, Simulated, Writer};

const WIDTH: u64 = 1_000;
const ROW: u64 = 190;
const TOP: u64 = 50;
/// Where each column begins, and how wide it is.
const COLUMNS: [(u64, u64); 2] = [(60, 520), (620, 360)];
const PLOT_HEIGHT: u64 = 140;
/// Stretches that the whole session is drawn in.
const STRETCHES: usize = 240;
/// Turns that the right column shows.
const TURNS: u64 = 100;
const COLOURS: [(Mode, &str); 3] = [
    (Mode::EveryTurn, "#1b7f5f"),
    (Mode::FromHalf, "#c75b12"),
    (Mode::Deferred, "#5b54a8"),
];

/// Draws the sessions whose summaries a model wrote.
pub(crate) fn plot(sessions: &[Simulated]) -> String {
    let drawn: Vec<&Simulated> = sessions
        .iter()
        .filter(|session| session.setup.writer == Writer::Model)
        .collect();
    let mut windows: Vec<u64> = drawn.iter().map(|session| session.setup.window).collect();
    windows.dedup();
    let height = TOP + ROW * windows.len() as u64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    legend(&mut svg);
    for (row, window) in (0..).zip(windows) {
        let y = TOP + ROW * row;
        frame(&mut svg, window, y);
        for session in drawn
            .iter()
            .filter(|session| session.setup.window == window)
        {
            draw(&mut svg, session, y);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// Appends an element. Writing to a string cannot fail.
fn put(svg: &mut String, element: std::fmt::Arguments<'_>) {
    let _ = writeln!(svg, "{element}");
}

fn legend(svg: &mut String) {
    for (place, (mode, colour)) in (0..).zip(COLOURS) {
        let x = 60 + 200 * place;
        put(
            svg,
            format_args!(
                "<rect x=\"{x}\" y=\"12\" width=\"14\" height=\"10\" fill=\"{colour}\"/>\
                 <text x=\"{}\" y=\"22\">leaves {}</text>",
                x + 20,
                mode.as_str()
            ),
        );
    }
}

fn frame(svg: &mut String, window: u64, y: u64) {
    let titles = [
        format!("window of {window} tokens: the whole session"),
        format!("{TURNS} turns from its middle"),
    ];
    for ((x, width), title) in COLUMNS.into_iter().zip(titles) {
        put(
            svg,
            format_args!("<text x=\"{x}\" y=\"{y}\">{title}</text>"),
        );
        for percent in [0, 50, 75, 100] {
            let line = y + 8 + PLOT_HEIGHT - PLOT_HEIGHT * percent / 100;
            put(
                svg,
                format_args!(
                    "<path d=\"M{x} {line}h{width}\" stroke=\"#bbbbbb\" stroke-dasharray=\"3 3\"/>\
                     <text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#666666\">{percent} %</text>",
                    x - 4,
                    line + 4
                ),
            );
        }
    }
}

fn draw(svg: &mut String, session: &Simulated, y: u64) {
    let [whole, part] = COLUMNS;
    let colour = COLOURS
        .iter()
        .find(|(mode, _)| *mode == session.setup.mode)
        .map_or("#000000", |(_, colour)| colour);
    let height = |view: u64| y + 8 + PLOT_HEIGHT - PLOT_HEIGHT * view / session.setup.window;
    let band = band(&session.samples);
    let most = band.iter().map(|(_, most)| height(*most));
    let least = band.iter().map(|(least, _)| height(*least));
    let there = places(whole, band.len()).zip(most);
    let back: Vec<_> = places(whole, band.len()).zip(least).collect();
    let outline = path(there.chain(back.into_iter().rev()));
    put(
        svg,
        format_args!("<path d=\"{outline}z\" fill=\"{colour}\" fill-opacity=\"0.45\"/>"),
    );
    let middle = session.setup.n_turns / 2;
    let shown: Vec<u64> = session
        .samples
        .iter()
        .filter(|sample| (middle..middle + TURNS).contains(&sample.turn))
        .map(|sample| height(sample.view))
        .collect();
    let line = path(places(part, shown.len()).zip(shown));
    put(
        svg,
        format_args!("<path d=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.2\"/>"),
    );
}

/// Returns the least and the most of each stretch.
fn band(samples: &[Sample]) -> Vec<(u64, u64)> {
    let size = samples.len().div_ceil(STRETCHES).max(1);
    samples
        .chunks(size)
        .map(|stretch| {
            let views = stretch.iter().map(|sample| sample.view);
            let least = views.clone().min().unwrap_or_default();
            (least, views.max().unwrap_or_default())
        })
        .collect()
}

/// Returns `count` places from one end of a column to the other.
fn places((x, width): (u64, u64), count: usize) -> impl Iterator<Item = u64> {
    let count = count as u64;
    (0..count).map(move |place| x + width * place / (count - 1).max(1))
}

fn path(points: impl Iterator<Item = (u64, u64)>) -> String {
    let mut path = String::new();
    for (x, y) in points {
        let command = if path.is_empty() { 'M' } else { 'L' };
        let _ = write!(path, "{command}{x} {y}");
    }
    path
}
