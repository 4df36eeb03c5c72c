//! What is read: views, searches, whole messages.

use crate::bench::{Bench, Column, tell};
use crate::child::Running;
use crate::corpus::queries::{self, Class, Kind};
use crate::corpus::session;
use crate::options::ours;
use crate::protocol::{Batch, Grep, Message, Order, Request, Sync, View};

/// Items of a measured view.
const ITEMS: usize = 500;
/// Views of one round.
const VIEWS: usize = 20;
/// Hits asked for.
const LIMIT: usize = 20;
/// Queries of a class.
const QUERIES: usize = 20;
/// Single words of all ranks.
const RANKS: u32 = 500;

pub(crate) const VIEW: &str = "view of 500";
pub(crate) const NEWEST: &str = "grep newest 20, 500 words of all ranks";
pub(crate) const RANKED: &str = "grep ranked 20, 500 words of all ranks";
pub(crate) const IN_ONE: &str = "grep in one conversation of 500";
/// The column of a store that holds that conversation alone.
pub(crate) const ALONE: &str = "hippocamp, alone in a store";
pub(crate) const BY_RANK: &str = "bare ORDER BY rank";
pub(crate) const EXPAND: &str = "expand 20";

/// Reads the newest items of one session.
pub(crate) fn view(bench: &mut Bench<'_>, engines: &mut [Running]) {
    tell("view");
    let (n, _) = bench.corpus.measured();
    let mut columns = Column::of(engines);
    columns.retain(|column| column.label != "bare-fts" && column.label != "bare-rows");
    columns.extend(Column::named(
        engines,
        "bare-fts",
        "bare JOIN",
        Some("join"),
    ));
    columns.extend(Column::named(engines, "bare-fts", "bare N+1", Some("n+1")));
    bench.rounds(VIEW, engines, columns, &mut |column, _| {
        let view = View {
            session: session_in(n, column.engine == 0),
            items: ITEMS,
            way: column.way.map(str::to_owned),
        };
        vec![Request::View(view); VIEWS]
    });
}

/// Searches everywhere: words of all ranks, then queries by class.
pub(crate) fn grep(bench: &mut Bench<'_>, engines: &mut [Running]) {
    let mut columns = Column::of(engines);
    columns.retain(|column| column.label != "bare-rows");
    let words = queries::every_rank(bench.words, RANKS);
    for (measure, order) in [(NEWEST, Order::Newest), (RANKED, Order::Ranked)] {
        tell(measure);
        bench.rounds(measure, engines, columns.clone(), &mut |column, _| {
            let request = |word: &String| everywhere(word, Kind::Word, order, column);
            words.iter().map(request).collect()
        });
    }
    for class in queries::classes(bench.words, bench.corpus.seed, QUERIES) {
        let orders: &[Order] = if class.is_text() {
            &[Order::Newest]
        } else {
            &[Order::Newest, Order::Ranked]
        };
        for order in orders {
            let measure = name(class.name, *order);
            tell(&measure);
            let mut columns = columns.clone();
            if *order == Order::Ranked && class.name == "common" {
                columns.extend(Column::named(
                    engines,
                    "bare-fts",
                    "bare ORDER BY rank",
                    Some("rank"),
                ));
            }
            bench.rounds(&measure, engines, columns, &mut |column, _| {
                let request = |query: &String| everywhere(query, class.kind, *order, column);
                class.queries.iter().map(request).collect()
            });
        }
    }
}

/// Returns the classes that look for pieces of text, which no index of words answers.
pub(crate) fn text_classes(bench: &Bench<'_>) -> Vec<Class> {
    let mut classes = queries::classes(bench.words, bench.corpus.seed, QUERIES);
    classes.retain(Class::is_text);
    classes
}

/// Returns the name of the measure of a class of queries.
pub(crate) fn name(class: &str, order: Order) -> String {
    match order {
        Order::Newest => format!("grep newest 20, {class}"),
        Order::Ranked => format!("grep ranked 20, {class}"),
    }
}

fn everywhere(query: &str, kind: Kind, order: Order, column: &Column) -> Request {
    Request::Grep(Grep {
        query: query.to_owned(),
        kind,
        order,
        session: None,
        limit: LIMIT,
        way: column.way.map(str::to_owned),
    })
}

/// Searches one conversation for pieces of words, from one character on: in the store of all, and in
/// one that holds nothing else.
pub(crate) fn in_one(bench: &mut Bench<'_>, engines: &mut Vec<Running>) {
    tell(IN_ONE);
    let (n, length) = bench.corpus.measured();
    let class = queries::in_one(bench.words, bench.corpus.seed, 5 * QUERIES);
    let mut columns = Column::of(engines);
    columns.retain(|column| column.label != "bare-rows");
    columns.push(Column {
        label: ALONE.to_owned(),
        engine: engines.len(),
        way: None,
    });
    let mut alone = ours("hippocamp").start(&bench.folder("alone"), Sync::Normal);
    let said = bench.corpus.talk(bench.words, n, length);
    alone.must(&Request::Append(Batch {
        session: session(n),
        messages: said.iter().map(Message::of).collect(),
    }));
    alone.must(&Request::Settle);
    engines.push(alone);
    // The imported conversation is named after its format.
    let imported = engines[0].name == "hippocamp";
    bench.rounds(IN_ONE, engines, columns, &mut |column, _| {
        let request = |query: &String| {
            Request::Grep(Grep {
                query: query.clone(),
                kind: class.kind,
                order: Order::Newest,
                session: Some(session_in(n, imported && column.engine == 0)),
                limit: LIMIT,
                way: column.way.map(str::to_owned),
            })
        };
        class.queries.iter().map(request).collect()
    });
    if let Some(alone) = engines.pop() {
        alone.close();
    }
}

/// Returns the key of a conversation: an import names it after its format.
pub(crate) fn session_in(n: u64, is_imported: bool) -> String {
    if is_imported {
        format!("claude-code:{}", session(n))
    } else {
        session(n)
    }
}

/// Reads the messages of the last search whole.
pub(crate) fn expand(bench: &mut Bench<'_>, engines: &mut [Running]) {
    tell(EXPAND);
    let mut columns = Column::of(engines);
    columns.retain(|column| column.label != "bare-rows");
    // All have found 20 of a word that stands nearly everywhere.
    for column in &columns {
        let word = bench.words.at(3);
        engines[column.engine].ask(&everywhere(word, Kind::Word, Order::Newest, column));
    }
    bench.rounds(EXPAND, engines, columns, &mut |_, _| {
        vec![Request::Expand { hits: LIMIT }; QUERIES]
    });
}
