//! What users feel: append, turn, frontier, view, search and expand, beside the bare statements that
//! SQLite alone would need, where a compacted conversation has 1,000 and 100,000 messages.
//!
//! `cargo bench --bench engine`, then `benches/growth.sh`. Without `--bench` (`cargo test --bench
//! engine`) each measurement runs once on the small store.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement stops at the first surprise and opens its own bare database"
)]

mod bare;
mod corpus;

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, criterion_group, criterion_main};
use hippocamp::domain::{
    ConversationId, ExpandRequest, GrepRequest, ItemId, MessageId, Part, Reach, SessionKey, Tokens,
    View, Window,
};
use hippocamp::engine::{Engine, ViewBudget};
use hippocamp::store::{Durability, OpenMode, Reader, Store};
use tokio::runtime::Runtime;

use bare::Bare;

/// One store and the same texts in a bare database.
struct Stores {
    runtime: Runtime,
    engine: Engine,
    bare: Bare,
    size: u64,
    /// How many bare texts weigh as much as the long conversation's view.
    shown: i64,
    reader: Reader,
    conversation: ConversationId,
    long: SessionKey,
    window: Window,
    _folder: tempfile::TempDir,
}

/// The sizes measured: both for `cargo bench`, the small one for a trial.
fn sizes() -> &'static [u64] {
    if std::env::args().any(|argument| argument == "--bench") {
        &[1_000, 100_000]
    } else {
        &[1_000]
    }
}

impl Stores {
    fn build(size: u64) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let window = Window::of(Tokens::new(16_000)).unwrap();
        let long = SessionKey::new("long").unwrap();
        let engine = runtime.block_on(fill(&folder.path().join("engine.db"), size, window));
        let view = runtime
            .block_on(engine.view(&long, ViewBudget::Configured))
            .unwrap();
        let path = folder.path().join("engine.db");
        let reader = Store::open(&path, OpenMode::Existing, Durability::Full)
            .and_then(|store| store.reader())
            .unwrap();
        let conversation = reader.conversation(&long).unwrap().unwrap().id;
        let frontier = reader.planner_frontier(conversation).unwrap();
        println!(
            "long conversation of {size}: {} summaries and {} messages before a model",
            frontier.nodes().count(),
            frontier.raw().count()
        );
        Self {
            bare: Bare::build(&folder.path().join("bare.db"), size).unwrap(),
            runtime,
            engine,
            size,
            shown: texts_of(&view),
            conversation,
            reader,
            long,
            window,
            _folder: folder,
        }
    }
}

/// Returns how many texts of the corpus weigh as much as a view's text parts.
fn texts_of(view: &View) -> i64 {
    let bytes: usize = view
        .items
        .iter()
        .flat_map(|item| &item.parts)
        .map(|part| match part {
            Part::Text { text } => text.len(),
            _ => 0,
        })
        .sum();
    i64::try_from(bytes / corpus::text(1, 1_000).len()).unwrap()
}

/// Stores the texts, compacts the long conversation and indexes all.
async fn fill(path: &Path, size: u64, window: Window) -> Engine {
    let engine = Engine::builder(path).window(window).build().unwrap();
    let total = corpus::total(size);
    let mut from = 0;
    while from < total {
        let session = corpus::session(from, size);
        let to = (from..total)
            .take(1_000)
            .take_while(|n| corpus::session(*n, size) == session)
            .last()
            .unwrap();
        let messages = (from..=to).map(|n| corpus::message(n, size)).collect();
        engine
            .append(&SessionKey::new(session).unwrap(), messages)
            .await
            .unwrap();
        from = to + 1;
    }
    let long = SessionKey::new("long").unwrap();
    engine
        .compact_until_under(&long, window.budget())
        .await
        .unwrap();
    engine.settle().await.unwrap();
    engine
}

fn id(function: &str, stores: &Stores) -> BenchmarkId {
    BenchmarkId::new(function, stores.size)
}

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group
        .sample_size(30)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(5));
    group
}

/// One message stored, durable when acknowledged.
fn append(criterion: &mut Criterion, stores: &mut Stores) {
    let mut group = group(criterion, "append");
    let mut n = stores.size;
    group.bench_function(id("engine", stores), |bencher| {
        bencher.iter(|| {
            n += 1;
            let message = vec![corpus::message(n, 1_000)];
            let call = stores.engine.append(&stores.long, message);
            black_box(stores.runtime.block_on(call).unwrap())
        });
    });
    let name = id("bare", stores);
    group.bench_function(name, |bencher| {
        bencher.iter(|| stores.bare.append().unwrap());
    });
}

/// One turn: a message stored, compacted where due, and the view.
fn turn(criterion: &mut Criterion, stores: &mut Stores) {
    let mut group = group(criterion, "turn");
    let mut n = stores.size;
    group.bench_function(id("engine", stores), |bencher| {
        bencher.iter(|| {
            n += 1;
            let message = vec![corpus::message(n, 1_000)];
            let call = stores.engine.turn(&stores.long, message, stores.window);
            black_box(stores.runtime.block_on(call).unwrap())
        });
    });
    let name = id("bare", stores);
    let shown = stores.shown;
    group.bench_function(name, |bencher| {
        bencher.iter(|| black_box(stores.bare.turn(shown).unwrap()));
    });
}

/// The long conversation's frontier: all that a planner needs, without bodies.
fn frontier(criterion: &mut Criterion, stores: &Stores) {
    let mut group = group(criterion, "frontier");
    group.bench_function(id("engine", stores), |bencher| {
        bencher.iter(|| black_box(stores.reader.planner_frontier(stores.conversation).unwrap()));
    });
    group.bench_function(id("bare", stores), |bencher| {
        bencher.iter(|| black_box(stores.bare.numbers(stores.shown).unwrap()));
    });
}

/// The view of the long conversation.
fn view(criterion: &mut Criterion, stores: &Stores) {
    let mut group = group(criterion, "view");
    group.bench_function(id("engine", stores), |bencher| {
        bencher.iter(|| {
            let call = stores.engine.view(&stores.long, ViewBudget::Configured);
            black_box(stores.runtime.block_on(call).unwrap())
        });
    });
    group.bench_function(id("bare", stores), |bencher| {
        bencher.iter(|| {
            black_box(stores.bare.numbers(stores.shown).unwrap());
            black_box(stores.bare.bodies(stores.shown).unwrap())
        });
    });
}

/// One search with the engine and as a bare statement.
fn search(
    criterion: &mut Criterion,
    stores: &Stores,
    name: &str,
    request: &GrepRequest,
    statement: impl Fn(&Bare) -> rusqlite::Result<usize>,
) {
    let found = stores
        .runtime
        .block_on(stores.engine.grep(request))
        .unwrap();
    assert!(
        !found.hits.is_empty() && found.complete,
        "{name} finds nothing"
    );
    assert!(
        statement(&stores.bare).unwrap() > 0,
        "{name}: the bare statement finds nothing"
    );
    let mut group = group(criterion, name);
    group.bench_function(id("engine", stores), |bencher| {
        bencher.iter(|| {
            black_box(
                stores
                    .runtime
                    .block_on(stores.engine.grep(request))
                    .unwrap(),
            )
        });
    });
    group.bench_function(id("bare", stores), |bencher| {
        bencher.iter(|| black_box(statement(&stores.bare).unwrap()));
    });
}

fn searches(criterion: &mut Criterion, stores: &Stores) {
    let all = |pattern: &str| GrepRequest::new(pattern, Reach::All);
    let [one, other] = corpus::PAIR;
    let both = format!("{one} AND {other} NOT {}", corpus::RARE);
    let piece = format!("%{}%", corpus::PIECE);
    let short = Reach::Session(SessionKey::new("short-0").unwrap());
    let in_one = GrepRequest::new(one, short);

    search(criterion, stores, "grep_rare", &all(corpus::RARE), |bare| {
        bare.matching(corpus::RARE)
    });
    search(
        criterion,
        stores,
        "grep_common",
        &all(corpus::COMMON),
        |bare| bare.matching(corpus::COMMON),
    );
    search(criterion, stores, "grep_boolean", &all(&both), |bare| {
        bare.matching(&both)
    });
    search(criterion, stores, "grep_fuzzy", &all(&piece), |bare| {
        bare.holding(corpus::PIECE)
    });
    search(criterion, stores, "grep_in_one", &in_one, |bare| {
        bare.holding_in_one(one)
    });
}

/// One message of the middle shown whole.
fn expand(criterion: &mut Criterion, stores: &Stores) {
    let middle = i64::try_from(stores.size / 2).unwrap();
    let request = ExpandRequest::new(vec![ItemId::Message(MessageId::new(middle))], Reach::All);
    let mut group = group(criterion, "expand");
    group.bench_function(id("engine", stores), |bencher| {
        bencher.iter(|| {
            black_box(
                stores
                    .runtime
                    .block_on(stores.engine.expand(&request))
                    .unwrap(),
            )
        });
    });
    group.bench_function(id("bare", stores), |bencher| {
        bencher.iter(|| black_box(stores.bare.body(middle).unwrap()));
    });
}

fn all(criterion: &mut Criterion) {
    for size in sizes() {
        let mut stores = Stores::build(*size);
        frontier(criterion, &stores);
        view(criterion, &stores);
        searches(criterion, &stores);
        expand(criterion, &stores);
        // These write, so they come last; what `append` leaves raw would be a backlog to `turn`.
        turn(criterion, &mut stores);
        append(criterion, &mut stores);
    }
}

criterion_group!(benches, all);
criterion_main!(benches);
