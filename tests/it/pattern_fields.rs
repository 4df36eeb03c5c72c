//! Fields, regular expressions and orders on stored rows, through the engine.

use hippocamp::domain::{
    GrepReply, GrepRequest, NewMessage, Part, Reach, Role, Seq, Sort, TimeRange, Timestamp,
};
use hippocamp::engine::{Engine, EngineError};
use hippocamp::policy::pattern::parse;
use tokio::runtime::{Builder, Runtime};

use crate::support::{FakeClock, builder, key};

/// A store with one of everything that fields ask about.
struct Store {
    _folder: tempfile::TempDir,
    engine: Engine,
    runtime: Runtime,
}

impl Store {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let engine = runtime
            .block_on(async { builder(&folder.path().join("f.db"), FakeClock::new()).build() })
            .unwrap();
        let store = Self {
            _folder: folder,
            engine,
            runtime,
        };
        let at = |text: &str, message: NewMessage| message.at(Timestamp::parse(text).unwrap());
        let mut answer = NewMessage::assistant("the larch needs water");
        answer.model = Some("gpt-4o-mini".to_owned());
        let thought = Part::Reasoning {
            text: "perhaps the hornbeam".to_owned(),
            signature: None,
        };
        answer.parts.insert(0, thought);
        let mut failed = NewMessage::tool_result("c1", "larch: no such tree, error42");
        if let Some(Part::ToolResult { is_error, .. }) = failed.parts.first_mut() {
            *is_error = true;
        }
        store.append(
            "garden",
            vec![
                at("2025-12-01", NewMessage::user("where is the larch")),
                at("2025-12-02", answer),
                at(
                    "2025-12-30",
                    NewMessage::tool_use(
                        "c1",
                        "Bash",
                        r#"{"command":"ls larch","cwd":"/my dir/X.rs"}"#,
                    ),
                ),
                at("2025-12-31", failed),
            ],
        );
        store.append(
            "kitchen",
            vec![NewMessage::user("a larch table for alpha err7")],
        );
        store
    }

    fn append(&self, session: &str, messages: Vec<NewMessage>) {
        self.runtime
            .block_on(self.engine.append(&key(session), messages))
            .unwrap();
    }

    fn ask(&self, request: &GrepRequest) -> Result<GrepReply, EngineError> {
        self.runtime.block_on(self.engine.grep(request))
    }

    /// Checks which messages a pattern finds, as `session/seq`, in any order.
    #[track_caller]
    fn check(&self, pattern: &str, found: &[&str]) {
        let reply = self.ask(&GrepRequest::new(pattern, Reach::All)).unwrap();
        assert_eq!(sorted(places(&reply)), found, "`{pattern}`");
        // The index and a scan of one conversation find the same.
        for session in ["garden", "kitchen"] {
            let reach = Reach::Session(key(session));
            let reply = self.ask(&GrepRequest::new(pattern, reach)).unwrap();
            let here: Vec<&&str> = found
                .iter()
                .filter(|one| one.starts_with(session))
                .collect();
            let found_here = sorted(places(&reply));
            assert_eq!(found_here.iter().collect::<Vec<_>>(), here, "`{pattern}`");
        }
    }
}

fn places(reply: &GrepReply) -> Vec<String> {
    let hits = reply.hits.iter();
    hits.map(|hit| format!("{}/{}", hit.session.as_str(), hit.seq.get()))
        .collect()
}

fn sorted(mut places: Vec<String>) -> Vec<String> {
    places.sort();
    places
}

#[test]
fn fields_ask_what_a_row_is() {
    let store = Store::new();
    for (pattern, found) in [
        ("role:user larch", &["garden/1", "kitchen/1"][..]),
        ("role:user", &["garden/1", "kitchen/1"]),
        (
            "larch NOT role:tool",
            &["garden/1", "garden/2", "garden/3", "kitchen/1"],
        ),
        ("water role:assistant OR table", &["garden/2", "kitchen/1"]),
        ("kind:tool_use larch", &["garden/3"]),
        ("kind:tool_result larch", &["garden/4"]),
        ("kind:text larch", &["garden/1", "garden/2", "kitchen/1"]),
        ("kind:reasoning hornbeam", &["garden/2"]),
        ("kind:reasoning water", &[]),
        ("hornbeam", &[]),
        ("kind:summary", &[]),
        ("tool:bash", &["garden/3", "garden/4"]),
        ("tool:Bash error42", &["garden/4"]),
        ("tool:Write", &[]),
        ("path:\"my dir/x.rs\"", &["garden/3"]),
        ("path:dir/y", &[]),
        ("model:gpt-4o", &["garden/2"]),
        ("\"model:gpt-4o\"", &[]),
        (
            "session:gard larch",
            &["garden/1", "garden/2", "garden/3", "garden/4"],
        ),
        ("session:kitchen", &["kitchen/1"]),
        ("project:garden", &[]),
        ("is:error", &["garden/4"]),
        ("is:error larch NOT tool:bash", &[]),
        ("depth:0", &[]),
        ("before:2025-12-02", &["garden/1"]),
        (
            "after:2025-12-02 before:2025-12-31",
            &["garden/2", "garden/3"],
        ),
        ("last:7d larch", &["garden/3", "garden/4", "kitchen/1"]),
        ("/err(or)?\\d+/", &["garden/4", "kitchen/1"]),
        ("/ERR\\d/", &["kitchen/1"]),
        ("/needs water/", &["garden/2"]),
        ("/^where.*larch$/ role:user", &["garden/1"]),
        (
            "larch NOT /a\\w*ha/",
            &["garden/1", "garden/2", "garden/3", "garden/4"],
        ),
        ("/x*/", &["garden/3"]),
    ] {
        store.check(pattern, found);
    }
}

/// P39.
#[test]
fn fields_alone_are_newest_first_and_have_no_rank() {
    let store = Store::new();
    for n in 0..30 {
        store.append("more", vec![NewMessage::user(format!("note {n}"))]);
    }
    let mut request = GrepRequest::new("role:user session:more", Reach::All);
    request.limit = 20;
    let first = store.ask(&request).unwrap();
    assert_eq!(first.hits[0].seq.get(), 30);
    assert!(first.hits.iter().all(|hit| hit.rank.is_none()));
    request.cursor = first.cursor;
    let second = store.ask(&request).unwrap();
    assert_eq!(second.hits.len(), 10);
    assert_eq!(second.hits[9].seq.get(), 1);
    assert_eq!(second.cursor, None);
}

#[test]
fn times_in_the_pattern_and_beside_it_both_apply() {
    let store = Store::new();
    let mut request = GrepRequest::new("before:2025-12-31 larch", Reach::All);
    let moment = |text: &str| Some(Timestamp::parse(text).unwrap());
    request.time = TimeRange {
        since: moment("2025-12-02"),
        before: moment("2026-01-05"),
    };
    let reply = store.ask(&request).unwrap();
    assert_eq!(sorted(places(&reply)), ["garden/2", "garden/3"]);
    request.pattern = "last:7d larch".to_owned();
    let error = store.ask(&request).unwrap_err();
    assert!(matches!(error, EngineError::Usage { .. }), "{error:?}");
}

#[test]
fn a_request_and_a_field_that_exclude_each_other_are_refused_or_find_nothing() {
    let store = Store::new();
    let mut request = GrepRequest::new("role:user larch", Reach::All);
    request.role = Some(Role::Tool);
    assert!(store.ask(&request).unwrap().hits.is_empty());
    request.role = None;
    request.kinds = hippocamp::domain::SearchScope::Summary;
    assert!(matches!(
        store.ask(&request),
        Err(EngineError::Usage { .. })
    ));
}

#[test]
fn rows_come_by_relevance_by_time_or_by_both() {
    let store = Store::new();
    let at = |day: &str, text: &str| NewMessage::user(text).at(Timestamp::parse(day).unwrap());
    store.append(
        "sorted",
        vec![
            at("2025-01-01", "juniper juniper juniper"),
            at(
                "2025-03-01",
                "a long text about many other things and one juniper among them",
            ),
            at("2025-02-01", "juniper and much more to say"),
        ],
    );
    let order = |sort: Sort| {
        let mut request = GrepRequest::new("juniper", Reach::All);
        request.sort = sort;
        places(&store.ask(&request).unwrap())
    };
    assert_eq!(order(Sort::Relevance)[0], "sorted/1");
    assert_eq!(order(Sort::Time), ["sorted/2", "sorted/3", "sorted/1"]);
    // First by one and last by the other order is worth a little more than second by both.
    assert_eq!(order(Sort::Both), ["sorted/1", "sorted/2", "sorted/3"]);
}

#[test]
fn second_by_relevance_and_time_comes_before_first_by_one_of_them() {
    let store = Store::new();
    let at = |day: &str, n_others: usize| {
        let text = format!("juniper {}", "and more ".repeat(n_others));
        NewMessage::user(text).at(Timestamp::parse(day).unwrap())
    };
    store.append(
        "sorted",
        vec![
            at("2025-01-01", 0),
            at("2025-03-01", 4),
            at("2025-02-01", 20),
            at("2025-04-01", 60),
        ],
    );
    let order = |sort: Sort| {
        let mut request = GrepRequest::new("juniper", Reach::All);
        request.sort = sort;
        let reply = store.ask(&request).unwrap();
        let seqs = reply.hits.iter().map(|hit| hit.seq.get());
        seqs.collect::<Vec<u64>>()
    };
    assert_eq!(order(Sort::Relevance), [1, 2, 3, 4]);
    assert_eq!(order(Sort::Time), [4, 2, 3, 1]);
    assert_eq!(order(Sort::Both), [2, 1, 4, 3]);
}

#[test]
fn a_session_field_finds_what_a_fork_inherits_and_no_more() {
    let store = Store::new();
    let fork = store.runtime.block_on(store.engine.fork(
        &key("garden"),
        Seq::new(2).unwrap(),
        Some(key("orchard")),
    ));
    fork.unwrap();
    store.append("orchard", vec![NewMessage::user("another larch")]);
    for (pattern, found) in [
        (
            "session:orchard larch",
            &["garden/1", "garden/2", "orchard/3"][..],
        ),
        (
            "larch NOT session:orchard",
            &["garden/3", "garden/4", "kitchen/1"],
        ),
        (
            "session:garden larch",
            &["garden/1", "garden/2", "garden/3", "garden/4"],
        ),
    ] {
        let reply = store.ask(&GrepRequest::new(pattern, Reach::All)).unwrap();
        assert_eq!(sorted(places(&reply)), found, "`{pattern}`");
    }
}

#[test]
fn an_expression_that_takes_for_ever_elsewhere_is_answered_at_once() {
    let store = Store::new();
    store.append("long", vec![NewMessage::user("a".repeat(200_000))]);
    store.check("/(a*)*b$/", &[]);
    let error = parse("/(a{1000}){1000}/").unwrap_err();
    assert!(error.to_string().contains("larger than"), "{error}");
}

/// A row that only a field, or a text that is no word, tells from thousands with the same word.
#[test]
fn what_is_rare_beside_a_common_word_is_found_however_old_it_is() {
    let store = Store::new();
    let mut first = NewMessage::assistant("the larch zz9");
    first.model = Some("rare-model".to_owned());
    let mut failed = NewMessage::tool_result("c9", "a larch fell");
    if let Some(Part::ToolResult { is_error, .. }) = failed.parts.first_mut() {
        *is_error = true;
    }
    let call = NewMessage::tool_use("c9", "Chop", r#"{"path":"/hut/axe.rs","what":"larch"}"#);
    store.append("hut", vec![first, call, failed]);
    for _ in 0..4 {
        let many = (0..800).map(|n| {
            let mut row = NewMessage::assistant(format!("one larch more, number {n}"));
            row.model = Some("plain".to_owned());
            row
        });
        store.append("forest", many.collect());
    }
    store.runtime.block_on(store.engine.settle()).unwrap();
    for (pattern, found) in [
        ("larch model:rare", &["hut/1"][..]),
        ("larch tool:chop", &["hut/2", "hut/3"]),
        ("larch path:axe.rs", &["hut/2"]),
        ("larch is:error session:hut", &["hut/3"]),
        ("larch session:hut", &["hut/1", "hut/2", "hut/3"]),
        ("larch kind:tool_use session:hut", &["hut/2"]),
        ("session:hut", &["hut/1", "hut/2", "hut/3"]),
        ("model:rare", &["hut/1"]),
        (
            "larch role:assistant NOT (model:plain OR model:gpt)",
            &["hut/1", "hut/2"],
        ),
        ("(larch AND model:rare) OR zanzibar", &["hut/1"]),
        ("%he larch zz%", &["hut/1"]),
        ("/the larch zz\\d/", &["hut/1"]),
        ("/l.rch zz|ch fell/", &["hut/1", "hut/3"]),
    ] {
        let reply = store.ask(&GrepRequest::new(pattern, Reach::All)).unwrap();
        let own = places(&reply)
            .into_iter()
            .filter(|place| !place.starts_with("garden"));
        assert_eq!(sorted(own.collect()), found, "`{pattern}`");
        assert!(reply.complete, "`{pattern}`");
    }
}

#[test]
fn messages_beside_a_match_are_what_the_fields_ask_for() {
    let store = Store::new();
    let mut other = NewMessage::assistant("rain tomorrow");
    other.model = Some("cloudy".to_owned());
    let mut matching = NewMessage::assistant("the fern likes shade");
    matching.model = Some("sunny".to_owned());
    store.append("porch", vec![other.clone(), matching, other]);
    let reply = store.ask(&GrepRequest::new(
        "fern moss lichen model:sunny",
        Reach::All,
    ));
    assert_eq!(places(&reply.unwrap()), ["porch/2"]);
}
