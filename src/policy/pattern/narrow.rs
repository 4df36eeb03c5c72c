//! Fields of a whole pattern. Owns what they say of every row that matches, and which go together.
//! May not look at rows.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::{
    Bounds, ConversationId, Expr, Field, HitKind, Operand, PatternError, Role, SearchScope,
    TimeRange,
};

use super::query::Pattern;

/// What every matching row is, so that it may be asked for before any limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Narrowing {
    /// Its role.
    pub role: Option<Role>,
    /// Its kind.
    pub kinds: SearchScope,
    /// Its time.
    pub time: TimeRange,
}

impl Pattern {
    /// Returns what the fields say of every row that matches.
    #[must_use]
    pub fn narrowing(&self) -> Narrowing {
        let mut narrowing = Narrowing::default();
        for field in self.required_fields() {
            match field {
                Field::Role(role) => narrowing.role = Some(*role),
                Field::Before(before) => narrowing.time = narrowing.time.until(*before),
                Field::After(since) => narrowing.time = narrowing.time.from(*since),
                Field::Depth(_) | Field::Kind(HitKind::Summary) => {
                    narrowing.kinds = SearchScope::Summary;
                }
                Field::Kind(_)
                | Field::Tool(_)
                | Field::Path(_)
                | Field::Model(_)
                | Field::Error => {
                    narrowing.kinds = SearchScope::Message;
                }
                Field::Session(_) | Field::Project(_) | Field::Last(_) | Field::Within(_) => {}
            }
        }
        narrowing
    }

    /// Says whether only the matcher can tell which of the rows that the index proposes match:
    /// where a field is one of several ways to match or takes rows away, where words are looked
    /// for in one kind of parts, and where texts are looked for that are no words.
    #[must_use]
    pub fn is_loose(&self) -> bool {
        let required = self.required_fields();
        self.part_kind().is_some()
            || self.any_field(&|field| !required.contains(&field))
            || self
                .terms()
                .iter()
                .any(|term| matches!(term.operand, Operand::Fuzzy(_) | Operand::Regex(_)))
    }

    /// Returns the conversations of which every matching row is one's own, where it says so.
    #[must_use]
    pub fn within(&self) -> Option<BTreeSet<ConversationId>> {
        let bounds = self.first_within()?;
        Some(bounds.keys().copied().collect())
    }

    fn first_within(&self) -> Option<&BTreeMap<ConversationId, Bounds>> {
        let required = self.required_fields().into_iter();
        let mut within = required.filter_map(|field| match field {
            Field::Within(conversations) => Some(conversations),
            _ => None,
        });
        within.next()
    }

    /// Says whether every matching row meets fields that neither its narrowing nor `within` says.
    #[must_use]
    pub fn has_fields_of_rows(&self) -> bool {
        let is_told = |field: &&Field| {
            let is_first = || match field {
                Field::Within(conversations) => {
                    let is_whole = conversations.values().all(|bounds| bounds.is_open());
                    is_whole && self.first_within() == Some(conversations)
                }
                _ => false,
            };
            matches!(field, Field::Role(_) | Field::Before(_) | Field::After(_)) || is_first()
        };
        !self.required_fields().iter().all(is_told)
    }

    /// Says whether it says times of its own.
    #[must_use]
    pub fn has_times(&self) -> bool {
        self.any_field(&|field| {
            matches!(field, Field::Before(_) | Field::After(_) | Field::Last(_))
        })
    }

    /// Says whether it asks for a stretch of time up to now.
    #[must_use]
    pub fn has_last(&self) -> bool {
        self.any_field(&|field| matches!(field, Field::Last(_)))
    }

    /// Says whether a field means something only once it has been looked up.
    #[must_use]
    pub fn needs_look_up(&self) -> bool {
        self.any_field(&|field| {
            matches!(
                field,
                Field::Session(_) | Field::Project(_) | Field::Last(_)
            )
        })
    }

    /// Says whether a tool is asked for: then results must say which calls they answer.
    #[must_use]
    pub fn has_tool(&self) -> bool {
        self.any_field(&|field| matches!(field, Field::Tool(_)))
    }

    /// Says whether it is fields alone, of which every row must meet all.
    #[must_use]
    pub fn is_fields_only(&self) -> bool {
        self.terms()
            .iter()
            .all(|term| matches!(term.operand, Operand::Field(_)))
    }

    /// Returns the one kind of parts that words are looked for in, if every row must have it.
    pub(super) fn part_kind(&self) -> Option<HitKind> {
        let mut kinds = self
            .required_fields()
            .into_iter()
            .filter_map(|field| match field {
                Field::Kind(kind) if !matches!(kind, HitKind::Meta | HitKind::Summary) => {
                    Some(*kind)
                }
                _ => None,
            });
        kinds.next()
    }

    /// Returns the pattern with each field that needs the store or the clock looked up.
    #[must_use]
    pub fn resolved(&self, look_up: &dyn Fn(&Field) -> Option<Field>) -> Self {
        let mut resolved = self.clone();
        resolved.expr = of_expr(&self.expr, look_up);
        resolved
    }

    /// Explains why no row can meet its fields and what is asked for beside them, if none can.
    #[must_use]
    pub fn contradiction(
        &self,
        role: Option<Role>,
        kinds: SearchScope,
        time: TimeRange,
    ) -> Option<String> {
        let mut time = time;
        let mut roles: Vec<Role> = role.into_iter().collect();
        let mut is_summary = kinds == SearchScope::Summary;
        let mut is_message = kinds == SearchScope::Message;
        for field in self.required_fields() {
            match field {
                Field::Role(role) => roles.push(*role),
                Field::Before(before) => time = time.until(*before),
                Field::After(since) => time = time.from(*since),
                Field::Depth(_) | Field::Kind(HitKind::Summary) => is_summary = true,
                Field::Kind(_)
                | Field::Tool(_)
                | Field::Path(_)
                | Field::Model(_)
                | Field::Error => is_message = true,
                Field::Session(_) | Field::Project(_) | Field::Last(_) | Field::Within(_) => {}
            }
        }
        if let (Some(since), Some(before)) = (time.since, time.before)
            && since >= before
        {
            return Some(format!(
                "nothing is both from {since} on and before {before}; the first must be the earlier"
            ));
        }
        if let [first, .., last] = roles.as_slice()
            && roles.iter().any(|role| role != first)
        {
            return Some(format!(
                "no message has two roles; {first} and {last} are both asked for"
            ));
        }
        let of_messages = is_message || !roles.is_empty();
        (is_summary && of_messages).then(|| {
            "no row is both a summary (depth:, kind:summary) and a message (role:, tool: and the \
             like); leave one of them out"
                .to_owned()
        })
    }

    /// Explains why times in it do not go together, if they do not.
    pub(super) fn contradicting_times(&self) -> Option<PatternError> {
        let has_range =
            self.any_field(&|field| matches!(field, Field::Before(_) | Field::After(_)));
        (has_range && self.has_last()).then(|| PatternError {
            message: "last: already says since when; before: and after: do not go with it"
                .to_owned(),
            hint: Some("write last:7d alone, or after:2026-01-02 before:2026-02-01".to_owned()),
        })
    }

    fn any_field(&self, is: &dyn Fn(&Field) -> bool) -> bool {
        self.terms().iter().any(|term| match &term.operand {
            Operand::Field(field) => is(field),
            _ => false,
        })
    }

    fn required_fields(&self) -> Vec<&Field> {
        required(&self.expr)
    }
}

/// Returns the fields without which an expression cannot hold.
fn required(expr: &Expr) -> Vec<&Field> {
    match expr {
        Expr::Term(Operand::Field(field)) => vec![field],
        Expr::Term(_) | Expr::Or(_) => Vec::new(),
        Expr::And(exprs) => exprs.iter().flat_map(required).collect(),
        Expr::Without(left, _) => required(left),
    }
}

fn of_expr(expr: &Expr, look_up: &dyn Fn(&Field) -> Option<Field>) -> Expr {
    let of_each = |exprs: &[Expr]| exprs.iter().map(|expr| of_expr(expr, look_up)).collect();
    match expr {
        Expr::Term(Operand::Field(field)) => match look_up(field) {
            Some(field) => Expr::Term(Operand::Field(field)),
            None => expr.clone(),
        },
        Expr::Term(_) => expr.clone(),
        Expr::And(exprs) => Expr::And(of_each(exprs)),
        Expr::Or(exprs) => Expr::Or(of_each(exprs)),
        Expr::Without(left, right) => Expr::Without(
            Box::new(of_expr(left, look_up)),
            Box::new(of_expr(right, look_up)),
        ),
    }
}
