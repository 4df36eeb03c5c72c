//! The files of the first versions: one for each session, message and part. Owns how a part finds its
//! message and both their session, which lie in files of their own. May not read a part before its
//! message is there: nobody knows then who speaks in it.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::message::Message;
use super::session::Session;
use crate::import::document::Document;
use crate::import::entry::{Entry, clean_id, time};
use crate::import::json::Object;
use crate::import::sniff::Head;
use crate::import::spec::{Piece, Pieces, Unread};
use crate::import::unpack::text_beside;

/// The folder that holds all of them.
const FOLDER: &str = "storage";

/// The largest file beside the one that is read.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The longest line of sessions that began one another.
const MAX_LINE: usize = 64;

/// What a file is, by its path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    Session,
    /// A message, in the folder of its session.
    Message {
        session: String,
    },
    /// A part, in the folder of its message.
    Part {
        message: String,
    },
}

/// Returns the folder `storage` around a file, and what the file is.
fn place_of(path: &Path) -> Option<(&Path, Place)> {
    let is_storage = |folder: &&Path| folder.file_name() == Some(OsStr::new(FOLDER));
    let root = path.ancestors().skip(1).find(is_storage)?;
    let steps = path.strip_prefix(root).ok()?;
    let steps: Vec<String> = steps
        .iter()
        .map(|step| step.to_string_lossy().into_owned())
        .collect();
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let place = match steps.as_slice() {
        ["session", _, _] => Place::Session,
        // An older layout has all of them below `session`.
        ["message", session, _] | ["session", "message", session, _] => Place::Message {
            session: (*session).to_owned(),
        },
        ["part", message, _] | ["session", "part", _, message, _] => Place::Part {
            message: (*message).to_owned(),
        },
        _ => return None,
    };
    Some((root, place))
}

/// Returns whether a file met in a folder is one, by its path.
pub(super) fn is_named(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "json") && place_of(path).is_some()
}

/// Returns whether a file is one.
pub(super) fn is_own(head: &Head<'_>) -> bool {
    let fields: &[&str] = match place_of(head.path) {
        Some((_, Place::Session)) => &["id", "time"],
        Some((_, Place::Message { .. })) => &["id", "role"],
        Some((_, Place::Part { .. })) => &["id", "type"],
        None => return false,
    };
    head.is_object_with(fields)
}

/// Reads the one record of a file.
pub(super) fn read<'a>(document: &'a Document<'a>, path: &Path) -> Result<Pieces<'a>, Unread> {
    let root = document.json()?;
    let location = document.location(root.get());
    let (object, placed) = (Object::parse(root.get()), place_of(path));
    let (Some(object), Some((folder, place))) = (object, placed) else {
        let piece = Piece::refused(location, "no session, message or part");
        return Ok(Box::new(std::iter::once(piece)));
    };
    let stem = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    let id = clean_id(stem);
    let piece = match place {
        Place::Session => {
            let session = session_of(folder, &id.unwrap_or_default());
            Piece::Record {
                location,
                text: root.get().to_owned(),
                entries: vec![session.owns(Entry::silent())],
            }
        }
        Place::Message { session } => match Message::of(id, root.get(), None) {
            Some(mut message) => {
                let spent = message.take_tokens();
                let session = session_of(folder, &session);
                let mut piece = message.piece(location, root.get(), &session);
                if let Piece::Record { entries, .. } = &mut piece
                    && let Some(entry) = entries.first_mut()
                {
                    entry.spent = spent;
                }
                piece
            }
            None => Piece::refused(location, "a message without a role"),
        },
        Place::Part { message } => {
            // Until its message is there it waits.
            let session = object.text("sessionID").or_else(|| session_folder(path));
            let session = session.unwrap_or_default();
            if !is_name(&session) {
                let piece = Piece::refused(location, "a session's id that is no file's name");
                return Ok(Box::new(std::iter::once(piece)));
            }
            let of_message = read_beside(&message_paths(folder, &session, &message));
            let raw = of_message.ok_or(Unread::CutShort)?;
            match Message::of(Some(message), &raw, None) {
                Some(mut message) => {
                    // Counted with the message itself.
                    message.take_tokens();
                    let began = object.object("time");
                    let began = began.and_then(|clock| time(clock.get("start")?.get()));
                    let session = session_of(folder, &session);
                    message.read_part(location, id.as_deref(), root.get(), began, &session)
                }
                None => Piece::refused(location, "a part of a message without a role"),
            }
        }
    };
    Ok(Box::new(std::iter::once(piece)))
}

/// Names the session of a part in the older layout, by the folder around that of its message.
fn session_folder(path: &Path) -> Option<String> {
    let folder = path.parent()?.parent()?.file_name()?;
    Some(folder.to_string_lossy().into_owned()).filter(|name| name != "part")
}

fn message_paths(root: &Path, session: &str, message: &str) -> [PathBuf; 2] {
    let name = format!("{message}.json");
    [root.join("message"), root.join("session").join("message")]
        .map(|folder| folder.join(session).join(&name))
}

/// Says whether an id can name a file in a folder, and leads nowhere else.
fn is_name(id: &str) -> bool {
    let mut steps = Path::new(id).components();
    let is_one = matches!(
        (steps.next(), steps.next()),
        (Some(Component::Normal(_)), None)
    );
    is_one && !id.contains(['/', '\\', ':', '\0'])
}

/// Reads the first of these files that is there.
fn read_beside(paths: &[PathBuf]) -> Option<String> {
    paths.iter().find_map(|path| text_beside(path, MAX_BYTES))
}

/// Reads what is known of a session, from its own file and those of the sessions that began it.
fn session_of(root: &Path, id: &str) -> Session {
    let projects = fs::read_dir(root.join("session")).into_iter().flatten();
    let mut projects: Vec<PathBuf> = projects
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    projects.sort();
    let read = |id: &str| {
        if !is_name(id) {
            return None;
        }
        let name = format!("{id}.json");
        let paths: Vec<PathBuf> = projects.iter().map(|folder| folder.join(&name)).collect();
        read_beside(&paths)
    };
    let (mut title, mut cwd) = (None, None);
    let mut parents = HashMap::new();
    let mut next = Some(id.to_owned());
    while let Some(one) = next.take().filter(|_| parents.len() < MAX_LINE) {
        let text = read(&one);
        let about = text.as_deref().and_then(Object::parse).unwrap_or_default();
        if one == id {
            title = about.text("title");
            cwd = about.text("directory");
        }
        let parent = about.text("parentID").filter(|parent| is_name(parent));
        if let Some(parent) = parent
            && parents.insert(one, parent.clone()).is_none()
        {
            next = Some(parent);
        }
    }
    let parents = parents
        .iter()
        .map(|(id, parent)| (id.as_str(), parent.as_str()))
        .collect();
    Session::of(id.to_owned(), &parents, title, cwd)
}
