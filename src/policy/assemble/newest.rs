//! Rung 6: what is cut inside the newest turn, and in which order.
//! Owns that order; may not touch the system prompt.

use crate::domain::{MessageId, Part, Seq, TokenCounter, Tokens, ViewItem};
use crate::policy::limits::Limits;

use super::cost::{part_tokens, parts_tokens};
use super::shorten::{self, Reasoning};
use super::slot::{self, Frame, Kind, Slot, Standing};

/// How the bodies of the newest batch and of the request stand.
#[derive(Debug, Clone, Copy)]
struct Form {
    media: Media,
    reasoning: Reasoning,
}

/// Whether pictures and unknown blocks are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Media {
    /// As they are.
    Whole,
    /// As a line each.
    Line,
}

/// Which slots a level is sought for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part6 {
    /// The newest group behind the request.
    Batch,
    /// The newest request, raw or quoted.
    Request,
}

/// Cuts the newest turn until the view fits, cheapest first. Returns by how much the least view
/// with an uncut request is over, if it is.
pub(super) fn cut(
    slots: &mut [Slot],
    frame: &mut Frame,
    limits: &Limits,
    counter: &dyn TokenCounter,
) -> Option<Tokens> {
    let newest = slots
        .iter()
        .rposition(|slot| slot.kind == Kind::Step && slot.is_shown());
    let mut ladder = Ladder {
        slots,
        frame,
        newest,
        least: limits.least_body,
        counter,
    };
    if ladder.fits() || ladder.cut_older_steps() || ladder.cut_batch() || ladder.drop_the_rest() {
        return None;
    }
    let excess = ladder.total().saturating_sub(ladder.frame.budget);
    ladder.cut_request();
    Some(excess)
}

struct Ladder<'a> {
    slots: &'a mut [Slot],
    frame: &'a mut Frame,
    newest: Option<usize>,
    least: Tokens,
    counter: &'a dyn TokenCounter,
}

impl Ladder<'_> {
    fn total(&self) -> Tokens {
        self.frame.total(self.slots, self.counter)
    }

    fn fits(&self) -> bool {
        self.total() <= self.frame.budget
    }

    /// Older pairs become stubs, then all but the pairs goes, then stubs merge into one line.
    fn cut_older_steps(&mut self) -> bool {
        self.shorten_steps(stub) || self.shorten_steps(bare) || {
            let newest = self.newest_first();
            slot::drop_oldest(self.slots, self.frame, self.counter, |slot| {
                slot.kind == Kind::Step && Some(slot.span.first()) != newest
            });
            self.fits()
        }
    }

    fn newest_first(&self) -> Option<Seq> {
        let slot = self.slots.get(self.newest?)?;
        Some(slot.span.first())
    }

    /// Shortens the items of older steps, oldest first, until the view fits.
    fn shorten_steps(
        &mut self,
        shorten: fn(&ViewItem, &dyn TokenCounter) -> Option<ViewItem>,
    ) -> bool {
        let mut total = self.total();
        for at in 0..self.newest.unwrap_or(0) {
            if total <= self.frame.budget {
                return true;
            }
            let Some(slot) = self.slots.get_mut(at) else {
                break;
            };
            if slot.kind != Kind::Step || !slot.is_shown() {
                continue;
            }
            let before = slot.tokens;
            let mut items = Vec::new();
            for item in slot.take_items() {
                match shorten(&item, self.counter) {
                    Some(less) => items.push(less),
                    None => slot.omit(&item, item.tokens),
                }
            }
            slot.show(items, self.counter);
            if slot.items().is_empty() {
                slot.standing = Standing::Gap;
                total = self.total();
            } else {
                total = total.saturating_sub(before) + slot.tokens;
            }
        }
        total <= self.frame.budget
    }

    /// The bodies of the newest batch are cut evenly, then media become lines, then its reasoning
    /// goes.
    fn cut_batch(&mut self) -> bool {
        let whole = Form {
            media: Media::Whole,
            reasoning: Reasoning::Shown,
        };
        if self.fit_level(Part6::Batch, whole) {
            return true;
        }
        let lines = Form {
            media: Media::Line,
            ..whole
        };
        self.apply(Part6::Request, None, lines);
        self.fit_level(Part6::Batch, lines) || self.fit_level(Part6::Batch, LEAST)
    }

    /// The summaries that are left go, oldest first, then the lines of gaps.
    fn drop_the_rest(&mut self) -> bool {
        slot::drop_oldest(self.slots, self.frame, self.counter, |slot| {
            slot.depth().is_some()
        });
        if self.fit_level(Part6::Batch, LEAST) {
            return true;
        }
        self.frame.hide_gaps();
        self.fit_level(Part6::Batch, LEAST)
    }

    /// The request's text is cut; if that is not enough the newest batch goes too.
    fn cut_request(&mut self) {
        if self.fit_level(Part6::Request, LEAST) {
            return;
        }
        if let Some(batch) = self.newest.and_then(|at| self.slots.get_mut(at)) {
            batch.standing = Standing::Silent;
        }
        if !self.fit_level(Part6::Request, LEAST) {
            self.apply(Part6::Request, Some(Tokens::ZERO), LEAST);
        }
    }

    /// Gives the bodies of some slots the highest level at which the view fits. If none does they
    /// are left at the least.
    fn fit_level(&mut self, part: Part6, form: Form) -> bool {
        self.apply(part, None, form);
        if self.fits() {
            return true;
        }
        let mut low = self.least.get();
        let mut high = self.greatest_body(part).max(low);
        self.apply(part, Some(self.least), form);
        if !self.fits() {
            return false;
        }
        // The level need not be exact: within a thirtieth of it nothing is gained.
        while high - low > 1 + low / 32 {
            let middle = low + (high - low) / 2;
            self.apply(part, Some(Tokens::new(middle)), form);
            if self.fits() {
                low = middle;
            } else {
                high = middle;
            }
        }
        self.apply(part, Some(Tokens::new(low)), form);
        true
    }

    /// Shows some slots with their bodies at a level; with none they are whole.
    fn apply(&mut self, part: Part6, level: Option<Tokens>, form: Form) {
        let newest = self.newest;
        for (at, slot) in self.slots.iter_mut().enumerate() {
            let is_meant = match part {
                Part6::Batch => Some(at) == newest,
                Part6::Request => matches!(slot.kind, Kind::Request | Kind::Quoted),
            };
            if !is_meant || !slot.is_shown() {
                continue;
            }
            let items = slot
                .full
                .iter()
                .map(|item| at_level(item, level, form, self.counter))
                .filter(|item| !item.parts.is_empty())
                .collect();
            slot.show(items, self.counter);
        }
    }

    /// Returns the tokens of the longest body that a level could cut.
    fn greatest_body(&self, part: Part6) -> u64 {
        self.slots
            .iter()
            .enumerate()
            .filter(|(at, slot)| match part {
                Part6::Batch => Some(*at) == self.newest,
                Part6::Request => matches!(slot.kind, Kind::Request | Kind::Quoted),
            })
            .flat_map(|(_, slot)| &slot.full)
            .flat_map(|item| &item.parts)
            .map(|part| match part {
                Part::Text { text: body }
                | Part::ToolResult { content: body, .. }
                | Part::ToolUse {
                    arguments: body, ..
                } => self.counter.count(body).get(),
                _ => 0,
            })
            .max()
            .unwrap_or(0)
    }
}

/// The least form of a batch.
const LEAST: Form = Form {
    media: Media::Line,
    reasoning: Reasoning::Hidden,
};

fn with_parts(item: &ViewItem, parts: Vec<Part>, counter: &dyn TokenCounter) -> ViewItem {
    ViewItem {
        tokens: parts_tokens(&parts, item.name.as_deref(), counter),
        parts,
        ..item.clone()
    }
}

/// Makes one line of each body that an older step was given.
#[expect(
    clippy::unnecessary_wraps,
    reason = "one shape with `bare`, which may leave nothing"
)]
fn stub(item: &ViewItem, counter: &dyn TokenCounter) -> Option<ViewItem> {
    let id = slot::message_of(item);
    let parts = item.parts.iter().map(|part| match part {
        Part::ToolResult {
            call_id,
            content,
            is_error,
        } => {
            let own = counter.count(content);
            let line = shorten::result_line(own, id);
            Part::ToolResult {
                call_id: call_id.clone(),
                content: if !shorten::is_line(content, id) && counter.count(&line) < own {
                    line
                } else {
                    content.clone()
                },
                is_error: *is_error,
            }
        }
        _ => media_as_line(part, id, counter),
    });
    Some(with_parts(item, parts.collect(), counter))
}

/// Leaves only the pairs of an older step, with empty arguments.
fn bare(item: &ViewItem, counter: &dyn TokenCounter) -> Option<ViewItem> {
    let parts: Vec<Part> = item
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::ToolUse { call_id, name, .. } => Some(Part::ToolUse {
                call_id: call_id.clone(),
                name: name.clone(),
                arguments: "{}".into(),
            }),
            Part::ToolResult { .. } => Some(part.clone()),
            _ => None,
        })
        .collect();
    (!parts.is_empty()).then(|| with_parts(item, parts, counter))
}

/// Returns a picture or an unknown block as a line where that is shorter, any other part as it is.
fn media_as_line(part: &Part, id: MessageId, counter: &dyn TokenCounter) -> Part {
    let text = match part {
        Part::Media { mime, .. } => shorten::media_line(mime, id),
        Part::Opaque { json } => shorten::opaque_line(json, id),
        _ => return part.clone(),
    };
    let line = Part::Text { text };
    if part_tokens(&line, counter) < part_tokens(part, counter) {
        line
    } else {
        part.clone()
    }
}

/// Cuts each body of an item to a level.
fn at_level(
    item: &ViewItem,
    level: Option<Tokens>,
    form: Form,
    counter: &dyn TokenCounter,
) -> ViewItem {
    let id = slot::message_of(item);
    let cut = |body: &str| {
        level
            .and_then(|level| shorten::cut_middle(body, level, id, counter))
            .unwrap_or_else(|| body.to_owned())
    };
    let parts = item
        .parts
        .iter()
        .filter(|part| {
            form.reasoning == Reasoning::Shown || !matches!(part, Part::Reasoning { .. })
        })
        .map(|part| match part {
            Part::Text { text } => Part::Text { text: cut(text) },
            Part::ToolResult {
                call_id,
                content,
                is_error,
            } => Part::ToolResult {
                call_id: call_id.clone(),
                content: cut(content),
                is_error: *is_error,
            },
            Part::ToolUse {
                call_id,
                name,
                arguments,
            } => Part::ToolUse {
                call_id: call_id.clone(),
                name: name.clone(),
                arguments: level
                    .and_then(|level| shorten::cut_arguments(arguments, level, id, counter))
                    .unwrap_or_else(|| arguments.clone()),
            },
            _ if form.media == Media::Line => media_as_line(part, id, counter),
            _ => part.clone(),
        });
    with_parts(item, parts.collect(), counter)
}
