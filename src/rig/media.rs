//! Pictures, sounds, films and documents: rig's sources as URIs. May not fetch or decode anything.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rig_core::message::{Audio, Document, Image, Video};
use rig_core::message::{
    AudioMediaType, DocumentMediaType, DocumentSourceKind, ImageMediaType, MimeType, UserContent,
    VideoMediaType,
};

use crate::domain::Part;

/// Stands before the id of a file that a provider holds.
const FILE: &str = "provider-file:";

/// Returns the part of a medium; `None` where there is nothing to point to.
pub(super) fn part_of(data: &DocumentSourceKind, mime: &str) -> Option<Part> {
    let uri = match data {
        DocumentSourceKind::Url(url) => url.clone(),
        DocumentSourceKind::Base64(data) => format!("data:{mime};base64,{data}"),
        DocumentSourceKind::Raw(bytes) => {
            format!("data:{mime};base64,{}", BASE64_STANDARD.encode(bytes))
        }
        DocumentSourceKind::FileId(id) => format!("{FILE}{id}"),
        DocumentSourceKind::String(_) | DocumentSourceKind::Unknown => return None,
    };
    let mime = mime.to_owned();
    Some(Part::Media { uri, mime })
}

/// Returns where a URI leads; `None` if a provider cannot follow it.
fn source_of(uri: &str) -> Option<DocumentSourceKind> {
    if let Some(id) = uri.strip_prefix(FILE) {
        return Some(DocumentSourceKind::file_id(id));
    }
    if let Some(inline) = uri.strip_prefix("data:") {
        let (head, data) = inline.split_once(',')?;
        let is_base64 = head.ends_with(";base64");
        return is_base64.then(|| DocumentSourceKind::base64(data));
    }
    let is_link = uri.starts_with("https://") || uri.starts_with("http://");
    is_link.then(|| DocumentSourceKind::url(uri))
}

/// Returns a picture; `None` for another medium, and for one that a provider cannot reach.
pub(super) fn picture(uri: &str, mime: &str) -> Option<Image> {
    let data = source_of(uri).filter(|_| mime.starts_with("image/"))?;
    Some(Image {
        data,
        media_type: ImageMediaType::from_mime_type(mime),
        ..Image::default()
    })
}

/// Returns what a user shows; words about it where a provider cannot reach it.
pub(super) fn shown(uri: &str, mime: &str) -> UserContent {
    if let Some(image) = picture(uri, mime) {
        return UserContent::Image(image);
    }
    let Some(data) = source_of(uri) else {
        return UserContent::text(line(uri, mime));
    };
    match mime.split('/').next() {
        Some("audio") => UserContent::Audio(Audio {
            data,
            media_type: AudioMediaType::from_mime_type(mime),
        }),
        Some("video") => UserContent::Video(Video {
            data,
            media_type: VideoMediaType::from_mime_type(mime),
            additional_params: None,
        }),
        _ => UserContent::Document(Document {
            data,
            media_type: DocumentMediaType::from_mime_type(mime),
            additional_params: None,
        }),
    }
}

/// Returns the line that stands for a medium that cannot be sent.
pub(super) fn line(uri: &str, mime: &str) -> String {
    if uri.starts_with("data:") {
        format!("[{mime} left out]")
    } else {
        format!("[{mime} at {uri}]")
    }
}

/// Returns the word for a type; `any` where rig does not know which.
pub(super) fn mime_of<T: MimeType>(media_type: Option<&T>, any: &'static str) -> &'static str {
    media_type.map_or(any, T::to_mime_type)
}

/// Bytes as the base64 that every provider is sent them as.
pub(super) fn encoded(data: &DocumentSourceKind) -> Option<DocumentSourceKind> {
    match data {
        DocumentSourceKind::Raw(bytes) => {
            Some(DocumentSourceKind::base64(BASE64_STANDARD.encode(bytes)))
        }
        _ => None,
    }
}
