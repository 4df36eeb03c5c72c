//! The tree of a file's entries. Owns from which row each entry goes on.
//! May not grow with the file: it remembers entries without a row, and few of those.

use serde::{Deserialize, Serialize};

use crate::import::entry::Follows;

/// Entries without a row whose place in the tree is remembered. One that is forgotten is taken as
/// unknown, and what follows it as going on from the newest row.
const MAX_SILENT: usize = 512;

/// What an entry says of the one before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Parent {
    /// Nothing: the file is a list.
    Unsaid,
    /// There is none.
    None,
    /// Its id.
    Entry(String),
}

/// Where the file stands.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Tree {
    /// The newest entry with a row.
    row: Option<String>,
    /// Whether an entry has named its parent.
    has_parents: bool,
    /// Entries without a row, and the nearest row before each.
    silent: Vec<(String, Option<String>)>,
}

impl Tree {
    /// Takes the next entry that gives a row.
    pub(super) fn take_row(&mut self, id: Option<&str>, parent: &Parent) -> Follows {
        let follows = match (self.row_before(parent), &self.row) {
            (_, None) => Follows::Newest,
            (before, newest) if before == *newest => Follows::Newest,
            (Some(row), _) => Follows::Row(row),
            (None, _) if self.has_parents => Follows::Nothing,
            (None, _) => Follows::Newest,
        };
        self.note(parent);
        if let Some(id) = id {
            self.row = Some(id.to_owned());
        }
        follows
    }

    /// Takes the next entry that gives none.
    pub(super) fn take_silent(&mut self, id: Option<&str>, parent: &Parent) {
        let before = self.row_before(parent);
        self.note(parent);
        if let Some(id) = id {
            if self.silent.len() >= MAX_SILENT {
                self.silent.remove(0);
            }
            self.silent.push((id.to_owned(), before));
        }
    }

    fn note(&mut self, parent: &Parent) {
        self.has_parents |= matches!(parent, Parent::Entry(_));
    }

    fn row_before(&self, parent: &Parent) -> Option<String> {
        match parent {
            Parent::Unsaid => self.row.clone(),
            Parent::None => None,
            Parent::Entry(id) => {
                let mut silent = self.silent.iter().rev();
                match silent.find(|(known, _)| known == id) {
                    Some((_, row)) => row.clone(),
                    None => Some(id.clone()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes entries written `id<parent`, those without a row in lower case, and says what each row
    /// goes on from.
    #[track_caller]
    fn check(entries: &str, wanted: &str) {
        let mut tree = Tree::default();
        let mut found = Vec::new();
        for entry in entries.split_whitespace() {
            let (id, parent) = entry.split_once('<').unwrap();
            let parent = match parent {
                "" => Parent::Unsaid,
                "-" => Parent::None,
                id => Parent::Entry(id.to_owned()),
            };
            if id.chars().all(char::is_lowercase) {
                tree.take_silent(Some(id), &parent);
                continue;
            }
            found.push(match tree.take_row(Some(id), &parent) {
                Follows::Newest => ".".to_owned(),
                Follows::Nothing => "-".to_owned(),
                Follows::Row(row) => row,
            });
        }
        assert_eq!(found.join(" "), wanted, "{entries}");
    }

    #[test]
    fn an_entry_goes_on_from_the_nearest_row_before_it() {
        check("A< B< C<", ". . .");
        check("A<- B<A C<B", ". . .");
        check("a<- B<a c<B d<c E<d", ". .");
        check("A<- B<A C<A D<C", ". . A .");
        // The way back may be told by an entry that has no row itself.
        check("A<- B<A c<A D<c E<D", ". . A .");
        check("A<- B<A C<A D<B", ". . A B");
    }

    #[test]
    fn a_second_root_begins_anew_only_in_a_tree() {
        check("A<- B<A C<- D<C", ". . - .");
        check("a<- B<a c<a D<c", ". -");
        check("A<- B<- C<-", ". . .");
    }

    #[test]
    fn a_file_may_begin_in_the_middle() {
        check("B<lost C<B D<lost", ". . lost");
    }
}
