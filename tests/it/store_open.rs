//! Opening a store as another user, with another umask, from several processes at once, and after
//! a restart.

use std::path::Path;

use hippocamp::domain::{
    AppendRequest, NewMessage, PinScan, Seq, SessionKey, Span, Stamped, Timestamp, Tokens,
};
use hippocamp::store::{
    Durability, OpenMode, Reader, Store, StoreError, WriteOp, WriteReply, Writer, fingerprint,
};

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);
/// The file beside a copied test program that says what it is to do.
const ORDER: &str = "order.txt";

fn key(text: &str) -> SessionKey {
    SessionKey::new(text).unwrap()
}

fn append(writer: &mut Writer, session: &str, words: &str) -> Result<u64, StoreError> {
    let message = NewMessage::user(words);
    let stamped = Stamped {
        pin_scan: PinScan::Unread,
        fingerprint: fingerprint(&message),
        message,
        tokens: Tokens::new(2),
        view_tokens: Tokens::new(2),
        reasoning_tokens: Tokens::ZERO,
        has_words: true,
    };
    let request = AppendRequest {
        session: key(session),
        messages: vec![stamped],
        now: NOW,
    };
    match writer.run(&[WriteOp::Append(request)]).remove(0)? {
        WriteReply::Appended(appended) => Ok(appended.rows[0].seq.get()),
        other => panic!("{other:?}"),
    }
}

fn n_rows(reader: &Reader, session: &str) -> usize {
    let found = reader.conversation(&key(session)).unwrap();
    let Some((id, head)) = found.and_then(|found| Some((found.id, found.head?))) else {
        return 0;
    };
    let span = Span::new(Seq::FIRST, head).unwrap();
    reader.messages(id, span).unwrap().len()
}

fn create(path: &Path, n_messages: usize) -> Store {
    let store = Store::open(path, OpenMode::Create, Durability::Full).unwrap();
    let mut writer = store.writer().unwrap();
    for _ in 0..n_messages {
        append(&mut writer, "main", "kept").unwrap();
    }
    store
}

/// B059.
#[test]
fn after_a_restart_a_key_has_all_its_rows_and_a_new_key_none() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    drop(create(&path, 3));
    for mode in [OpenMode::Create, OpenMode::Existing] {
        let store = Store::open(&path, mode, Durability::Full).unwrap();
        assert_eq!(n_rows(&store.reader().unwrap(), "main"), 3);
        assert_eq!(n_rows(&store.reader().unwrap(), "new"), 0);
    }
    let store = Store::open(&path, OpenMode::Existing, Durability::Full).unwrap();
    assert_eq!(
        append(&mut store.writer().unwrap(), "main", "more").unwrap(),
        4
    );
    assert_eq!(
        append(&mut store.writer().unwrap(), "new", "first").unwrap(),
        1
    );
}

#[cfg(unix)]
mod unix {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    use std::path::PathBuf;
    use std::process::{Command, Output};
    use std::thread;

    use super::*;

    /// A user who owns nothing.
    const NOBODY: u32 = 65_534;

    /// The test program, copied to where another user may run it, with an order beside it.
    struct Child {
        program: PathBuf,
        dir: tempfile::TempDir,
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn is_root(dir: &Path) -> bool {
        fs::metadata(dir).unwrap().uid() == 0
    }

    fn listing(dir: &Path) -> Vec<(String, u64)> {
        let mut found: Vec<_> = fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| {
                let bytes = entry.metadata().unwrap().len();
                (entry.file_name().into_string().unwrap(), bytes)
            })
            .collect();
        found.sort();
        found
    }

    impl Child {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            set_mode(dir.path(), 0o755);
            let program = dir.path().join("program");
            fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
            set_mode(&program, 0o755);
            Self { program, dir }
        }

        /// Runs an order as a user for whom modes count, and under a mask that hides nothing.
        fn order(&self, order: &str) -> Output {
            fs::write(self.dir.path().join(ORDER), order).unwrap();
            self.run()
        }

        /// Runs the order that is there.
        fn run(&self) -> Output {
            let mut command = Command::new("sh");
            command.args(["-c", r#"umask 000; exec "$0" "$@""#]);
            command.arg(&self.program);
            command.args([
                "--exact",
                "store_open::a_child_does_as_it_is_told",
                "--nocapture",
            ]);
            if is_root(self.dir.path()) {
                command.uid(NOBODY).gid(NOBODY);
            }
            command.output().unwrap()
        }

        #[track_caller]
        fn succeed(&self, order: &str) {
            let output = self.order(order);
            assert!(
                output.status.success(),
                "{order}: {}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }

    /// Says whether this process has a lock on a file, as the system lists them. (The bundled
    /// `SQLite` looks at another lock too before it removes a log, but older ones do not.)
    fn holds_a_lock(path: &Path) -> bool {
        let process = format!(" {} ", std::process::id());
        let file = format!(":{} ", fs::metadata(path).unwrap().ino());
        fs::read_to_string("/proc/locks")
            .unwrap()
            .lines()
            .any(|line| line.contains(&process) && line.contains(&file))
    }

    /// Makes a directory that another user may enter, with a store of 3 messages in it.
    fn public_store(child: &Child, name: &str) -> (PathBuf, PathBuf) {
        let dir = child.dir.path().join(name);
        fs::create_dir(&dir).unwrap();
        let path = dir.join("store.db");
        drop(create(&path, 3));
        (dir, path)
    }

    /// B165.
    #[test]
    fn files_are_readable_by_their_owner_alone_whatever_the_umask() {
        let child = Child::new();
        let dir = child.dir.path().join("open");
        fs::create_dir(&dir).unwrap();
        set_mode(&dir, 0o777);
        let path = dir.join("new/deep/store.db");
        child.succeed(&format!("modes {}", path.display()));
        assert_eq!(mode(&dir.join("new")), 0o700);
        assert_eq!(mode(&dir.join("new/deep")), 0o700);
        assert_eq!(mode(&path), 0o600);
    }

    /// B156: the file, the directory, both, each without a log.
    #[test]
    fn a_store_that_may_not_be_written_is_read_and_left_as_it_is() {
        let child = Child::new();
        for (name, file_mode, dir_mode) in [
            ("both", 0o444, 0o555),
            ("directory", 0o666, 0o555),
            ("file", 0o444, 0o777),
        ] {
            let (dir, path) = public_store(&child, name);
            set_mode(&path, file_mode);
            set_mode(&dir, dir_mode);
            let before = (listing(&dir), fs::read(&path).unwrap());
            child.succeed(&format!("read {}", path.display()));
            let after = (listing(&dir), fs::read(&path).unwrap());
            assert!(before == after, "{name}: {:?} {:?}", before.0, after.0);
            set_mode(&dir, 0o755);
        }
    }

    /// B156: rows that are still in the log are never left out in silence.
    #[test]
    fn a_log_that_cannot_be_read_is_named() {
        let child = Child::new();
        let (dir, path) = public_store(&child, "source");
        let store = Store::open(&path, OpenMode::Existing, Durability::Full).unwrap();
        let mut writer = store.writer().unwrap();
        append(&mut writer, "main", "in the log").unwrap();
        let copy = child.dir.path().join("copy");
        fs::create_dir(&copy).unwrap();
        for name in ["store.db", "store.db-wal"] {
            fs::copy(dir.join(name), copy.join(name)).unwrap();
            set_mode(&copy.join(name), 0o444);
        }
        set_mode(&copy, 0o555);
        child.succeed(&format!("log {}", copy.join("store.db").display()));
        set_mode(&copy, 0o755);
        // Without the log the copy is whole as far as it goes.
        let without = child.dir.path().join("without");
        fs::create_dir(&without).unwrap();
        fs::copy(dir.join("store.db"), without.join("store.db")).unwrap();
        set_mode(&without.join("store.db"), 0o444);
        set_mode(&without, 0o555);
        child.succeed(&format!("read {}", without.join("store.db").display()));
        set_mode(&without, 0o755);
    }

    /// Two stores of one process on one path: opening the second may not end the locks of the first,
    /// or another process that closes takes the log away from it.
    #[test]
    fn opening_a_store_twice_keeps_its_log_from_other_processes() {
        let child = Child::new();
        let (dir, path) = public_store(&child, "twice");
        set_mode(&dir, 0o777);
        set_mode(&path, 0o666);
        let first = Store::open(&path, OpenMode::Existing, Durability::Full).unwrap();
        let mut writer = first.writer().unwrap();
        append(&mut writer, "main", "4").unwrap();
        for mode in [OpenMode::Existing, OpenMode::ReadOnly, OpenMode::Create] {
            drop(Store::open(&path, mode, Durability::Full).unwrap());
            if cfg!(target_os = "linux") {
                assert!(holds_a_lock(&path), "opened {mode:?}");
            }
        }
        child.succeed(&format!("one {}", path.display()));
        let log = fs::metadata(dir.join("store.db-wal")).unwrap();
        assert!(log.len() > 0, "the log of an open connection is gone");
        append(&mut writer, "main", "6").unwrap();
        assert_eq!(n_rows(&first.reader().unwrap(), "main"), 6);
        drop((writer, first));
        let again = Store::open(&path, OpenMode::Existing, Durability::Full).unwrap();
        assert_eq!(n_rows(&again.reader().unwrap(), "main"), 6);
    }

    /// A file that nobody else could read stays so when it is opened by us.
    #[test]
    fn a_file_without_the_right_to_read_cannot_be_opened() {
        let child = Child::new();
        let (_, path) = public_store(&child, "secret");
        if is_root(child.dir.path()) {
            child.succeed(&format!("refused {}", path.display()));
        }
        assert_eq!(mode(&path), 0o600);
    }

    /// B152: 4 processes of 50 appends each, and a reader beside them.
    #[test]
    fn processes_that_write_at_once_lose_nothing() {
        let child = Child::new();
        let dir = child.dir.path().join("shared");
        fs::create_dir(&dir).unwrap();
        set_mode(&dir, 0o777);
        let path = dir.join("store.db");
        let order = format!("write {}", path.display());
        fs::write(child.dir.path().join(ORDER), &order).unwrap();
        thread::scope(|scope| {
            let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| child.run())).collect();
            for run in runs {
                let output = run.join().unwrap();
                let told = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(output.status.success(), "{told}");
            }
        });
        child.succeed(&format!("count {}", path.display()));
    }

    /// What a child checks of the modes of what it made.
    pub(super) fn check_modes(path: &Path) {
        let store = Store::open(path, OpenMode::Create, Durability::Full).unwrap();
        let mut writer = store.writer().unwrap();
        append(&mut writer, "main", "secret").unwrap();
        let _reader = store.reader().unwrap();
        for suffix in ["", "-wal", "-shm"] {
            let file = format!("{}{suffix}", path.display());
            assert_eq!(mode(Path::new(&file)), 0o600, "{file}");
        }
    }
}

/// Runs as a program of its own: without an order beside it there is nothing to do.
#[test]
fn a_child_does_as_it_is_told() {
    let program = std::env::current_exe().unwrap();
    let Ok(order) = std::fs::read_to_string(program.with_file_name(ORDER)) else {
        return;
    };
    let (what, path) = order.split_once(' ').unwrap();
    let path = Path::new(path);
    match what {
        "read" => read(path),
        "log" => log(path),
        "refused" => {
            for mode in [OpenMode::Create, OpenMode::ReadOnly] {
                let refused = Store::open(path, mode, Durability::Full);
                assert!(
                    matches!(refused, Err(StoreError::Open { .. })),
                    "{refused:?}"
                );
            }
        }
        "write" => write(path),
        "one" => {
            let store = Store::open(path, OpenMode::Existing, Durability::Full).unwrap();
            append(&mut store.writer().unwrap(), "main", "one").unwrap();
        }
        "count" => {
            let store = Store::open(path, OpenMode::ReadOnly, Durability::Full).unwrap();
            assert_eq!(n_rows(&store.reader().unwrap(), "main"), 200);
        }
        #[cfg(unix)]
        "modes" => unix::check_modes(path),
        other => panic!("{other}"),
    }
}

fn read(path: &Path) {
    for mode in [OpenMode::ReadOnly, OpenMode::Existing, OpenMode::Create] {
        let store = Store::open(path, mode, Durability::Full).unwrap();
        let reader = store.reader().unwrap();
        assert_eq!(n_rows(&reader, "main"), 3);
        let found = reader.conversation(&key("main")).unwrap().unwrap();
        assert_eq!(reader.planner_frontier(found.id).unwrap().items.len(), 3);
        assert!(!store.is_writable());
        match store.writer() {
            Err(StoreError::ReadOnly { path: named }) => assert_eq!(Path::new(&named), path),
            other => panic!("{other:?}"),
        }
    }
}

fn log(path: &Path) {
    for mode in [OpenMode::ReadOnly, OpenMode::Existing] {
        match Store::open(path, mode, Durability::Full) {
            Err(StoreError::Open { source, .. }) => {
                assert!(source.to_string().contains("-wal"), "{source}");
            }
            other => panic!("{other:?}"),
        }
    }
}

fn write(path: &Path) {
    let store = Store::open(path, OpenMode::Create, Durability::Normal).unwrap();
    let reader = store.reader().unwrap();
    let mut writer = store.writer().unwrap();
    let mut last = 0;
    for _ in 0..50 {
        let seq = append(&mut writer, "main", "one of many").unwrap();
        assert!(seq > last);
        last = seq;
        assert!(n_rows(&reader, "main") as u64 >= seq);
    }
}
