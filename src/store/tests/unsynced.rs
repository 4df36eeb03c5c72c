//! Writes that a power cut may take back: they are made again.

use super::kit::{bench, talk};
use crate::store::{
    Durability, IndexMark, IndexOutcome, IndexStep, IndexWork, OpenMode, Pace, Store, WriteOp,
    Writer,
};

#[test]
fn what_a_power_cut_may_take_back_leaves_later_writes_synced() {
    let mut bench = bench();
    let store = Store::open(&bench.path(), OpenMode::Existing, Durability::Full).unwrap();
    let mut writer = store.writer().unwrap();
    let is_synced = |writer: &mut Writer| {
        let sql = "PRAGMA synchronous";
        let level: i64 = writer.conn().query_row(sql, [], |row| row.get(0)).unwrap();
        level == 2
    };
    let step = |next| IndexStep {
        expected: IndexMark::default(),
        rules: 1,
        work: IndexWork::Rows(Vec::new()),
        next: IndexMark {
            id: next,
            pieces: 0,
        },
    };
    assert!(is_synced(&mut writer));
    assert_eq!(writer.index_step(&step(0)).unwrap(), IndexOutcome::Applied);
    assert!(is_synced(&mut writer), "after a step of the index");
    bench.append("main", talk(1));
    // It would pass over a row.
    assert!(writer.index_step(&step(9)).is_err());
    assert!(is_synced(&mut writer), "after a step that failed");
    writer.maintain(Pace::Busy).unwrap();
    assert!(is_synced(&mut writer), "after a merge");
    let lease = WriteOp::ReleaseLease {
        unit: "none".to_owned(),
        holder: "nobody".to_owned(),
    };
    writer.run(&[lease]).remove(0).unwrap();
    assert!(is_synced(&mut writer), "after a lease");
}
