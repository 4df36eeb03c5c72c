//! Other programs' databases, read. Owns the one snapshot that is taken of such a file and the rows
//! that come out of it as values. May not write: neither into the file nor beside it.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};
use thiserror::Error;

use super::conn::{Access, Kind, connect};
use super::error::StoreError;
use super::identity::beside;

/// What `SQLite` puts at the beginning of each of its files.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// The byte of the header that says how the file is read: 1 with a journal, 2 with a log.
const READ_VERSION: u64 = 19;

/// How `SQLite` calls a row's own number, which no list of columns has.
const ROW_ID: &str = "rowid";

/// Why another program's database could not be read.
#[derive(Debug, Error)]
#[error("{detail}")]
pub struct ForeignError {
    detail: String,
}

impl From<rusqlite::Error> for ForeignError {
    fn from(error: rusqlite::Error) -> Self {
        let detail = error.to_string();
        Self { detail }
    }
}

impl From<StoreError> for ForeignError {
    fn from(error: StoreError) -> Self {
        let detail = match error {
            StoreError::Corrupt { .. } => "damaged, or no database".to_owned(),
            StoreError::Database { source } | StoreError::Open { source, .. } => source.to_string(),
            StoreError::Busy => "busy".to_owned(),
            other => other.to_string(),
        };
        Self { detail }
    }
}

impl From<io::Error> for ForeignError {
    fn from(error: io::Error) -> Self {
        let detail = error.to_string();
        Self { detail }
    }
}

/// One snapshot of another program's database.
#[derive(Debug)]
pub struct Foreign {
    conn: Connection,
    /// The copy that is read where the file itself could not be without writing beside it.
    _copy: Option<Copy>,
}

/// A value of such a database.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ForeignValue {
    /// Nothing; also what a column gives that the table does not have.
    Null,
    /// A whole number.
    Integer(i64),
    /// A fraction.
    Real(f64),
    /// A text; bytes of it that are no UTF-8 are replaced.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

/// One row, with the values in the order of the columns asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct ForeignRow(Vec<ForeignValue>);

/// Which rows of a table are wanted.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// The table.
    pub table: &'a str,
    /// Its columns, or `rowid`; one that the table does not have gives nulls, since schemas grow.
    pub columns: &'a [&'a str],
    /// Only rows with this value in this column.
    pub only: Option<(&'a str, &'a ForeignValue)>,
    /// The columns they are ordered by; none: the row's own id.
    pub order: &'a [&'a str],
}

impl ForeignRow {
    /// Returns a value, null for one that is not there.
    #[must_use]
    pub fn get(&self, idx: usize) -> &ForeignValue {
        self.0.get(idx).unwrap_or(&ForeignValue::Null)
    }

    /// Returns a value that is a text.
    #[must_use]
    pub fn text(&self, idx: usize) -> Option<&str> {
        match self.get(idx) {
            ForeignValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns a value that is a whole number.
    #[must_use]
    pub fn integer(&self, idx: usize) -> Option<i64> {
        match self.get(idx) {
            ForeignValue::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns a value that is bytes.
    #[must_use]
    pub fn blob(&self, idx: usize) -> Option<&[u8]> {
        match self.get(idx) {
            ForeignValue::Blob(bytes) => Some(bytes),
            _ => None,
        }
    }
}

impl Foreign {
    /// Says whether a file that begins with these bytes is a database.
    #[must_use]
    pub fn is_database(beginning: &[u8]) -> bool {
        beginning.starts_with(MAGIC)
    }

    /// Hashes a database as it is on the disk, its log included, and counts the bytes.
    ///
    /// # Errors
    /// What the system says if it cannot be read.
    pub fn fingerprint(path: &Path) -> io::Result<([u8; 32], u64)> {
        let mut hasher = blake3::Hasher::new();
        let mut n_bytes = io::copy(&mut File::open(path)?, &mut hasher)?;
        if let Some(log) = log_of(path)? {
            n_bytes += io::copy(&mut File::open(log)?, &mut hasher)?;
        }
        Ok((hasher.finalize().into(), n_bytes))
    }

    /// Takes a snapshot of a database.
    ///
    /// # Errors
    /// `SQLite`'s or the system's words, if it is none or cannot be read.
    pub fn open(path: &Path) -> Result<Self, ForeignError> {
        let has_log = match log_of(path)? {
            Some(log) => fs::metadata(log)?.len() > 0,
            None => false,
        };
        let is_alive = beside(path, "-shm").exists();
        let (path, access, copy) = match (has_log, is_alive) {
            // Without a log, only locks and a journal say what of the file is committed.
            (false, _) if rolls_back(path)? => (path.to_owned(), Access::Read, None),
            // Nothing is in the log: the file alone is whole, and no file is made beside it.
            (false, _) => (path.to_owned(), Access::Immutable, None),
            (true, true) => (path.to_owned(), Access::Read, None),
            // A log that nobody has open would have to be recovered beside the file.
            (true, false) => {
                let copy = Copy::of(path)?;
                (copy.file(), Access::Read, Some(copy))
            }
        };
        let conn = connect(&path, access, Kind::Foreign)?;
        conn.execute_batch("BEGIN")?;
        // The snapshot is taken by the first read, not by BEGIN.
        conn.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(Self { conn, _copy: copy })
    }

    /// Returns the names of a table's columns, none if there is no such table. What only looks like
    /// a table has none: a view has as many rows as its maker likes, whatever the file's size.
    ///
    /// # Errors
    /// `SQLite`'s words.
    pub fn columns(&self, table: &str) -> Result<Vec<String>, ForeignError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT name FROM pragma_table_info(?1) WHERE EXISTS (SELECT 1 FROM sqlite_schema \
             WHERE type = 'table' AND rootpage > 0 AND sqlite_schema.name = ?1 COLLATE NOCASE)",
        )?;
        let names = statement.query_map([table], |row| row.get(0))?;
        Ok(names.collect::<Result<_, _>>()?)
    }

    /// Returns whether there is a table with all these columns.
    #[must_use]
    pub fn has(&self, table: &str, columns: &[&str]) -> bool {
        let Ok(found) = self.columns(table) else {
            return false;
        };
        let is_there = |name: &&str| found.iter().any(|one| one == name);
        !found.is_empty() && columns.iter().all(is_there)
    }

    /// Reads rows. A table that is not there has none.
    ///
    /// # Errors
    /// `SQLite`'s words.
    pub fn rows(&self, wanted: Rows<'_>) -> Result<Vec<ForeignRow>, ForeignError> {
        let known = self.columns(wanted.table)?;
        if known.is_empty() {
            return Ok(Vec::new());
        }
        let column = |name: &&str| {
            if *name == ROW_ID || known.iter().any(|one| one == name) {
                quoted(name)
            } else {
                "NULL".to_owned()
            }
        };
        let columns: Vec<String> = wanted.columns.iter().map(column).collect();
        let mut order: Vec<String> = wanted.order.iter().map(column).collect();
        if order.is_empty() {
            order.push(ROW_ID.to_owned());
        }
        // Put together from words: the tables are not ours, so no plan of them can be checked.
        let (columns, order) = (columns.join(", "), order.join(", "));
        let table = quoted(wanted.table);
        let mut words = vec!["SELECT", &columns, "FROM", &table];
        let filter = wanted.only.map(|(name, _)| column(&name));
        if let Some(filter) = &filter {
            words.extend(["WHERE", filter, "= ?1"]);
        }
        words.extend(["ORDER BY", &order]);
        let sql = words.join(" ");
        let mut statement = self.conn.prepare_cached(&sql)?;
        let values: Vec<Value> = wanted
            .only
            .map(|(_, value)| bound(value))
            .into_iter()
            .collect();
        let mut found =
            statement.query(params_from_iter(values.iter().map(|one| one as &dyn ToSql)))?;
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            let values = (0..wanted.columns.len()).map(|idx| Ok(value(row.get_ref(idx)?)));
            rows.push(ForeignRow(values.collect::<Result<_, rusqlite::Error>>()?));
        }
        Ok(rows)
    }
}

/// Returns the log beside a database.
fn log_of(path: &Path) -> io::Result<Option<PathBuf>> {
    let log = beside(path, "-wal");
    match fs::metadata(&log) {
        Ok(found) if found.is_file() => Ok(Some(log)),
        // A pipe or a device might never come to an end.
        Ok(_) => Err(io::Error::other(
            "what lies beside it as its log is no file",
        )),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns whether writers change the file in place and keep what was there in a journal.
fn rolls_back(path: &Path) -> io::Result<bool> {
    let mut header = Vec::new();
    let file = File::open(path)?;
    file.take(READ_VERSION + 1).read_to_end(&mut header)?;
    Ok(header.last() == Some(&1))
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn value(found: ValueRef<'_>) -> ForeignValue {
    match found {
        ValueRef::Null => ForeignValue::Null,
        ValueRef::Integer(number) => ForeignValue::Integer(number),
        ValueRef::Real(number) => ForeignValue::Real(number),
        ValueRef::Text(bytes) => ForeignValue::Text(String::from_utf8_lossy(bytes).into_owned()),
        ValueRef::Blob(bytes) => ForeignValue::Blob(bytes.to_vec()),
    }
}

fn bound(value: &ForeignValue) -> Value {
    match value {
        ForeignValue::Null => Value::Null,
        ForeignValue::Integer(number) => Value::Integer(*number),
        ForeignValue::Real(number) => Value::Real(*number),
        ForeignValue::Text(text) => Value::Text(text.clone()),
        ForeignValue::Blob(bytes) => Value::Blob(bytes.clone()),
    }
}

/// A copy of a database and its log in a folder that goes with it.
#[derive(Debug)]
struct Copy {
    folder: PathBuf,
}

impl Copy {
    fn of(path: &Path) -> Result<Self, ForeignError> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let name = format!("hippocamp-{}", blake3::hash(&random).to_hex());
        let copy = Self {
            folder: std::env::temp_dir().join(name),
        };
        fs::create_dir(&copy.folder)?;
        copy_private(path, &copy.file())?;
        copy_private(&beside(path, "-wal"), &beside(&copy.file(), "-wal"))?;
        Ok(copy)
    }

    fn file(&self) -> PathBuf {
        self.folder.join("copy.db")
    }
}

/// Copies bytes and not rights: the copy is the reader's own.
fn copy_private(from: &Path, to: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut target = options.open(to)?;
    io::copy(&mut File::open(from)?.take(u64::MAX), &mut target)?;
    Ok(())
}

impl Drop for Copy {
    fn drop(&mut self) {
        // What cannot be removed is in the system's folder for such files.
        drop(fs::remove_dir_all(&self.folder));
    }
}
