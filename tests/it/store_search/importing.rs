//! An import's rows are indexed with them, where the index has come so far.

use hippocamp::domain::{
    ImportBatch, ImportRow, NewMessage, PinScan, Provenance, SourceFile, Stamped, Tokens,
};
use hippocamp::store::fingerprint;

use super::kit::{Bench, NOW, RULES, all, bench, key, numbered};

fn batch(texts: &[String]) -> ImportBatch {
    let rows = (1..).zip(texts).map(|(line, text)| {
        let mut message = NewMessage::user(text.clone());
        message.provenance = Some(Provenance {
            offset: line,
            length: 1,
            line,
            record_id: None,
            joins: None,
            output_tokens: None,
            sha256: None,
        });
        ImportRow {
            session: key("imported"),
            index_text: text.to_lowercase(),
            message: Stamped {
                pin_scan: PinScan::Unread,
                fingerprint: fingerprint(&message),
                message,
                tokens: Tokens::new(10),
                view_tokens: Tokens::new(9),
                reasoning_tokens: Tokens::ZERO,
                has_words: true,
            },
        }
    });
    ImportBatch {
        copies: Vec::new(),
        file: SourceFile {
            path: "/a.jsonl".to_owned(),
            format: "claude-code".to_owned(),
        },
        conversations: Vec::new(),
        rows: rows.collect(),
        offset: 100,
        lines: 3,
        prefix: [0; 32],
        state: String::new(),
        now: NOW,
    }
}

fn import(bench: &mut Bench, texts: &[&str], rules: i64) {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    bench.writer.import(&batch(&texts), rules).unwrap();
}

fn backlog(bench: &Bench) -> u64 {
    bench.reader.index_state(RULES).unwrap().backlog
}

#[test]
fn a_batch_is_found_by_index_as_soon_as_it_is_stored() {
    let mut bench = bench();
    import(&mut bench, &["Acacia one", "two"], RULES);
    assert_eq!(backlog(&bench), 0, "an empty index takes the batch's rules");
    assert_eq!(bench.find("acacia", &all()).len(), 1);
    // Events take ids that are no rows.
    let imported = bench.conversation("imported");
    bench.leaf(imported, 1, 2, "acacia summary");
    bench.index();
    let large = numbered("w", 30_000);
    import(&mut bench, &["acacia three", &large, "four"], RULES);
    assert_eq!(backlog(&bench), 0);
    assert_eq!(bench.find("acacia", &all()).len(), 3);
    assert_eq!(bench.find("w29999", &all()).len(), 1);
    crate::doctor::sound(&bench);
}

#[test]
fn a_batch_waits_for_the_indexer_behind_a_backlog_or_under_other_rules() {
    let mut bench = bench();
    bench.say("main", "not indexed yet");
    import(&mut bench, &["acacia"], RULES);
    assert_eq!(backlog(&bench), 2);
    bench.index();
    assert_eq!(bench.find("acacia", &all()).len(), 1);
    let imported = bench.conversation("imported");
    bench.leaf(imported, 1, 1, "acacia summary, not indexed yet");
    import(&mut bench, &["behind it"], RULES);
    assert_eq!(backlog(&bench), 2);
    bench.index();
    for rules in [RULES - 1, RULES + 1] {
        import(&mut bench, &["acacia again"], rules);
        assert_eq!(backlog(&bench), 1);
        bench.index();
    }
    assert_eq!(bench.find("acacia", &all()).len(), 4);
    crate::doctor::sound(&bench);
}
