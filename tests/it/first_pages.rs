//! A search reads no more than its page needs; its pages are those of a search that reads all.

use hippocamp::domain::{
    GrepReply, GrepRequest, ItemId, NewMessage, Reach, Role, SearchScope, Sort, Timestamp,
};
use hippocamp::engine::Engine;
use hippocamp::policy::pattern::parse;
use proptest::prelude::*;
use tokio::runtime::{Builder, Runtime};

use crate::patterns::Fixture;
use crate::support::{FakeClock, builder, key};

/// Messages of each session.
const ROWS: usize = 300;
/// Sessions, which were said in another order than they are stored in.
const SESSIONS: [i64; 4] = [30, 10, 40, 20];
const DAY: i64 = 86_400_000;
/// Patterns of which the index tells all, some or too much.
const PATTERNS: [&str; 12] = [
    "alder",
    "birch",
    "cedar",
    "alder AND birch",
    "cedar OR fern",
    "\"alder birch\"",
    "bir*",
    "alder NOT cedar",
    "%lder bir%",
    "go",
    "may",
    "larches",
];

/// A store with an index and what it holds.
struct Store {
    _folder: tempfile::TempDir,
    engine: Engine,
    runtime: Runtime,
    rows: Fixture,
    /// When each row was said, in the order of ids.
    times: Vec<i64>,
}

impl Store {
    fn new(seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let engine = runtime
            .block_on(async { builder(&folder.path().join("f.db"), FakeClock::new()).build() })
            .unwrap();
        let mut random = seed.wrapping_mul(2).wrapping_add(1);
        let mut next = move |below: u64| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (random >> 33) % below
        };
        let words = [
            "alder",
            "birch",
            "cedar",
            "fern",
            "went",
            "universal",
            "may",
            "moss",
            "larch",
        ];
        let (mut texts, mut times) = (Vec::new(), Vec::new());
        for (session, day) in SESSIONS.iter().enumerate() {
            let mut messages = Vec::new();
            for _ in 0..ROWS {
                let n_words = next(6);
                let text: Vec<&str> = (0..=n_words)
                    // The first words are in more rows than the last.
                    .map(|_| words[usize::try_from(next(9).min(next(9))).unwrap()])
                    .collect();
                let at = day * DAY + i64::try_from(next(12)).unwrap() * DAY;
                texts.push(text.join(" "));
                times.push(at);
                messages.push(NewMessage::user(text.join(" ")).at(Timestamp::from_millis(at)));
            }
            let session = key(&format!("s{session}"));
            runtime.block_on(engine.append(&session, messages)).unwrap();
        }
        runtime.block_on(engine.settle()).unwrap();
        let rows = Fixture::new(texts.iter().map(|text| ("", text.as_str())));
        Self {
            _folder: folder,
            engine,
            runtime,
            rows,
            times,
        }
    }

    fn ask(&self, pattern: &str, sort: Sort, limit: u64, cursor: Option<String>) -> GrepReply {
        let mut request = GrepRequest::new(pattern, Reach::All);
        request.kinds = SearchScope::Message;
        request.sort = sort;
        request.limit = limit;
        request.cursor = cursor;
        self.runtime.block_on(self.engine.grep(&request)).unwrap()
    }

    /// Asks for page after page; returns the places of all rows, and the first answer.
    fn pages(&self, pattern: &str, sort: Sort, limit: u64, most: usize) -> (Vec<usize>, GrepReply) {
        let first = self.ask(pattern, sort, limit, None);
        let mut reply = first.clone();
        let mut places = Vec::new();
        loop {
            places.extend(reply.hits.iter().map(|hit| {
                let session: usize = hit.session.as_str()[1..].parse().unwrap();
                session * ROWS + usize::try_from(hit.seq.get()).unwrap() - 1
            }));
            match reply.cursor {
                Some(cursor) if places.len() < most => {
                    reply = self.ask(pattern, sort, limit, Some(cursor));
                }
                _ => return (places, first),
            }
        }
    }

    /// Returns the places of the rows that match, by a look at every text.
    fn matching(&self, pattern: &str) -> Vec<usize> {
        self.rows.places(&parse(pattern).unwrap())
    }
}

#[track_caller]
fn check_total(pattern: &str, reply: &GrepReply, n_matching: usize) {
    let n_matching = n_matching as u64;
    let holds = if reply.total_capped {
        reply.total <= n_matching
    } else {
        reply.total == n_matching
    };
    assert!(holds, "`{pattern}`: {} of {n_matching}", reply.total);
}

#[track_caller]
fn check_newest(store: &Store, pattern: &str, limit: u64) {
    let mut matching = store.matching(pattern);
    matching.sort_by_key(|place| std::cmp::Reverse((store.times[*place], *place)));
    let (mut pages, first) = store.pages(pattern, Sort::Time, limit, 30);
    check_total(pattern, &first, matching.len());
    matching.truncate(30);
    pages.truncate(30);
    assert_eq!(pages, matching, "`{pattern}`, {limit} a page");
}

#[track_caller]
fn check_best(store: &Store, pattern: &str, limit: u64) {
    let matching = store.matching(pattern);
    let (pages, first) = store.pages(pattern, Sort::Relevance, limit, 100);
    check_total(pattern, &first, matching.len());
    let mut whole = store.pages(pattern, Sort::Relevance, 200, usize::MAX).0;
    assert_eq!(pages, whole[..pages.len()], "`{pattern}`, {limit} a page");
    assert!(pages.len() >= matching.len().min(100), "`{pattern}`");
    whole.sort_unstable();
    if matching.len() <= 1_000 {
        assert_eq!(whole, matching, "`{pattern}`, {limit} a page");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2))]

    /// Rows that lie in another order than they were said in come by time all the same, and pages
    /// neither repeat nor miss one.
    #[test]
    fn pages_are_those_of_all_rows(seed: u64, limits in prop::collection::vec(1_u64..25, 12)) {
        let store = Store::new(seed);
        for (pattern, limit) in PATTERNS.iter().zip(limits) {
            check_newest(&store, pattern, limit);
            check_best(&store, pattern, limit.max(7));
        }
    }
}

#[test]
fn a_plain_word_is_counted_without_a_look_at_texts_and_a_phrase_is_not() {
    let store = Store::new(7);
    let n_matching = store.matching("alder").len();
    assert!(n_matching > 200, "{n_matching}");
    let reply = store.ask("alder", Sort::Time, 5, None);
    assert_eq!((reply.total, reply.total_capped), (200, true));
    let reply = store.ask("alder", Sort::Relevance, 5, None);
    assert_eq!(reply.total, n_matching.min(1_000) as u64);
    let rare = store.matching("larch AND moss").len() as u64;
    let reply = store.ask("larch AND moss", Sort::Time, 5, None);
    assert_eq!((reply.total, reply.total_capped), (rare, false));
    let reply = store.ask("\"alder birch\"", Sort::Time, 5, None);
    let n_phrases = store.matching("\"alder birch\"").len() as u64;
    assert!(reply.total_capped && (6..n_phrases).contains(&reply.total));
}

#[test]
fn filters_act_before_a_page_is_full() {
    let store = Store::new(11);
    let mut request = GrepRequest::new("alder", Reach::All);
    request.sort = Sort::Time;
    request.limit = 9;
    request.role = Some(Role::Assistant);
    assert!(
        store
            .runtime
            .block_on(store.engine.grep(&request))
            .unwrap()
            .hits
            .is_empty()
    );
    request.role = None;
    let before = Timestamp::from_millis(25 * DAY);
    request.time = request.time.until(before);
    let reply = store.runtime.block_on(store.engine.grep(&request)).unwrap();
    let mut matching = store.matching("alder");
    matching.retain(|place| store.times[*place] < before.millis());
    let n_matching = matching.len();
    matching.sort_by_key(|place| std::cmp::Reverse((store.times[*place], *place)));
    let at = reply.hits.iter().map(|hit| hit.at.unwrap().millis());
    let want = matching.iter().take(9).map(|place| store.times[*place]);
    assert_eq!(at.collect::<Vec<_>>(), want.collect::<Vec<_>>());
    check_total("alder", &reply, n_matching);
    assert!(
        reply
            .hits
            .iter()
            .all(|hit| matches!(hit.id, ItemId::Message(_)))
    );
}
