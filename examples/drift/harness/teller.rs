//! Tells the conversation, round by round, and keeps the ledger of what it told.

use hippocamp::domain::{NewMessage, Part, Role, Timestamp};

use super::files::{Deed, FileState, FileTruth};
use super::filler;
use super::ledger::{Constraint, Ledger, Sort, Words};
use super::names::Names;
use super::random::Random;
use super::speech::{Language, Rule, fill};

/// 2026-03-02T08:30:00Z, a Monday.
const BEGINNING: Timestamp = Timestamp::from_millis(1_772_440_200_000);
const MINUTE_MILLIS: i64 = 60_000;

/// Something that is planted in a turn.
#[derive(Debug, Clone, Copy)]
enum Scene {
    Constrain,
    /// Takes a constraint back or replaces its value.
    End,
    BeginFile,
    Deed(Deed),
    Say(Sort),
    /// Finishes an open task.
    Finish,
}

/// A constraint that can still end.
struct Standing {
    constraint: usize,
    language: Language,
    rule: Rule,
    name: String,
    number: String,
    is_replaced: bool,
}

/// The messages of one turn, and which of them say what.
#[derive(Default)]
pub(crate) struct Turn {
    pub(crate) messages: Vec<NewMessage>,
    /// A message's place in the turn, and what it says by its place in the ledger.
    pub(crate) marks: Vec<(usize, usize)>,
}

pub(crate) struct Teller {
    random: Random,
    names: Names,
    pub(crate) ledger: Ledger,
    standing: Vec<Standing>,
    /// Open tasks that nothing was done about: their two names and language.
    open: Vec<(usize, Language)>,
    now: Timestamp,
    n_calls: usize,
}

impl Teller {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            names: Names::new(),
            ledger: Ledger::default(),
            standing: Vec::new(),
            open: Vec::new(),
            now: BEGINNING,
            n_calls: 0,
        }
    }

    /// Returns the turns of a round, the first being 1: the first two plant, the others add little
    /// and change what constraints and files are.
    pub(crate) fn round(&mut self, round: usize, n_turns: usize) -> Vec<Turn> {
        let mut scenes = self.scenes(round);
        self.random.shuffle(&mut scenes);
        let each = scenes.len().div_ceil(n_turns).max(1);
        let mut chunks = scenes.chunks(each);
        (0..n_turns)
            .map(|_| self.turn(chunks.next().unwrap_or_default()))
            .collect()
    }

    fn scenes(&mut self, round: usize) -> Vec<Scene> {
        let mut scenes = Vec::new();
        let mut add = |n: usize, scene: Scene| scenes.extend(std::iter::repeat_n(scene, n));
        let n_planted = match round {
            1 => 3,
            2 => 2,
            _ => 0,
        };
        if n_planted > 0 {
            add(n_planted + 1, Scene::Constrain);
            add(n_planted + 2, Scene::BeginFile);
            for sort in Sort::ALL {
                add(n_planted, Scene::Say(sort));
            }
        } else {
            let scene = if round.is_multiple_of(3) {
                Scene::Constrain
            } else {
                Scene::End
            };
            add(1, scene);
            if round == 4 {
                add(1, Scene::Finish);
            }
            for _ in 0..2 {
                add(1, Scene::Deed(self.random.pick(&Deed::LATER)));
            }
        }
        scenes
    }

    fn turn(&mut self, scenes: &[Scene]) -> Turn {
        let mut told = Telling {
            language: self.random.pick(&Language::ALL),
            turn: Turn::default(),
            asked: Vec::new(),
            answered: Vec::new(),
            calls: Vec::new(),
        };
        told.asked
            .push((self.random.pick(&told.language.requests()).to_owned(), None));
        for scene in scenes {
            self.plant(*scene, &mut told);
        }
        told.answered
            .push((self.random.pick(&told.language.answers()).to_owned(), None));
        self.speak(Role::User, &told.asked, &mut told.turn);
        for _ in 0..2 {
            let looked = filler::look(&mut self.random);
            let call = super::files::Call {
                tool: looked.tool,
                arguments: looked.arguments,
                result: looked.result,
                is_error: false,
            };
            self.call(&call, &[], &mut told.turn);
        }
        for (call, marks) in &told.calls {
            self.call(call, marks, &mut told.turn);
        }
        self.speak(Role::Assistant, &told.answered, &mut told.turn);
        told.turn
    }

    fn plant(&mut self, scene: Scene, told: &mut Telling) {
        match scene {
            Scene::Constrain => self.constrain(told),
            Scene::End => self.end(told),
            Scene::BeginFile => {
                let word = self.names.word(&mut self.random);
                let folder = self.random.pick(&["src", "lib/core", "config"]);
                let file = FileTruth {
                    path: format!("{folder}/{word}.rs"),
                    state: FileState::Untouched,
                    has_failed_since: false,
                    said: 0,
                };
                self.ledger.files.push(file);
                let deed = self.random.pick(&Deed::BEGINNINGS);
                self.deed(self.ledger.files.len() - 1, deed, told);
            }
            Scene::Deed(deed) => {
                let is_there = |file: &FileTruth| {
                    !matches!(file.state, FileState::Deleted | FileState::MovedTo(_))
                };
                let there: Vec<usize> = (0..self.ledger.files.len())
                    .filter(|idx| self.ledger.files.get(*idx).is_some_and(is_there))
                    .collect();
                if !there.is_empty() {
                    let file_idx = self.random.pick(&there);
                    self.deed(file_idx, deed, told);
                }
            }
            Scene::Say(sort) => self.say(sort, told),
            Scene::Finish => self.finish(told),
        }
    }

    fn constrain(&mut self, told: &mut Telling) {
        let language = told.language;
        let is_replaced = self.random.between(0, 1) == 1;
        let rule = if is_replaced {
            self.random.pick(&language.replaced_rules())
        } else {
            self.random.pick(&language.lifted_rules())
        };
        let name = self.names.word(&mut self.random);
        let number = self.names.number(&mut self.random);
        let sentence = fill(rule.sets, &[("{a}", &name), ("{n}", &number)]);
        let said = self.ledger.say(&name, &sentence);
        told.asked.push((sentence.clone(), Some(said)));
        self.ledger.constraints.push(Constraint {
            sentence,
            ended_by: None,
        });
        self.standing.push(Standing {
            constraint: self.ledger.constraints.len() - 1,
            language,
            rule,
            name,
            number,
            is_replaced,
        });
    }

    fn end(&mut self, told: &mut Telling) {
        if self.standing.is_empty() {
            return;
        }
        let standing_idx = self.random.between(0, self.standing.len() - 1);
        let mut standing = self.standing.remove(standing_idx);
        told.language = standing.language;
        let number = self.names.number(&mut self.random);
        let slots = [
            ("{a}", standing.name.as_str()),
            ("{n}", standing.number.as_str()),
            ("{m}", number.as_str()),
        ];
        let sentence = fill(standing.rule.ends, &slots);
        let key = if standing.is_replaced {
            &number
        } else {
            &standing.name
        };
        let said = self.ledger.say(key, &sentence);
        told.asked.push((sentence.clone(), Some(said)));
        self.ledger.constraints[standing.constraint].ended_by = Some(sentence.clone());
        if standing.is_replaced {
            self.ledger.constraints.push(Constraint {
                sentence,
                ended_by: None,
            });
            standing.constraint = self.ledger.constraints.len() - 1;
            standing.number = number;
            self.standing.push(standing);
        }
    }

    fn deed(&mut self, file_idx: usize, deed: Deed, told: &mut Telling) {
        let to = format!("attic/{}.rs", self.names.word(&mut self.random));
        let path = self.ledger.files[file_idx].path.clone();
        let said = self.ledger.say(&path, &path);
        let moved = deed.note(&mut self.ledger.files[file_idx], &to, said);
        self.ledger.files.extend(moved);
        told.calls
            .push((deed.call(&path, &to, &mut self.random), vec![said]));
    }

    fn say(&mut self, sort: Sort, told: &mut Telling) {
        let language = told.language;
        let [one, two, three] = std::array::from_fn(|_| self.names.word(&mut self.random));
        let number = self.names.number(&mut self.random);
        let identifier = self.names.identifier(&mut self.random);
        let by_user = self.random.between(0, 1) == 1;
        let (sentence, keys, one) = match sort {
            Sort::Decision => (language.decision(), vec![one.clone(), three.clone()], one),
            Sort::Identifier => (language.identifier(), vec![identifier.clone()], identifier),
            Sort::Number => (language.number(), vec![number.clone()], one),
            Sort::Open => (language.open(), vec![one.clone(), two.clone()], one),
            Sort::Done => (language.done(), vec![one.clone(), two.clone()], one),
        };
        let slots = [
            ("{a}", one.as_str()),
            ("{b}", two.as_str()),
            ("{c}", three.as_str()),
            ("{n}", number.as_str()),
        ];
        let sentence = fill(sentence, &slots);
        let said = self.ledger.say(&keys[0], &sentence);
        if sort == Sort::Open {
            self.open.push((self.ledger.words.len(), language));
        }
        self.ledger.words.push(Words { sort, keys });
        let is_users = by_user && !matches!(sort, Sort::Open | Sort::Done);
        if is_users {
            told.asked.push((sentence, Some(said)));
        } else {
            told.answered.push((sentence, Some(said)));
        }
    }

    fn finish(&mut self, told: &mut Telling) {
        let Some((words_idx, language)) = self.open.pop() else {
            return;
        };
        told.language = language;
        let words = &mut self.ledger.words[words_idx];
        words.sort = Sort::Done;
        let keys = words.keys.clone();
        let slots = [("{a}", keys[0].as_str()), ("{b}", keys[1].as_str())];
        let sentence = fill(language.done(), &slots);
        let said = self.ledger.say(&keys[0], &sentence);
        told.answered.push((sentence, Some(said)));
    }

    /// Says sentences in one message.
    fn speak(&mut self, role: Role, sentences: &[(String, Option<usize>)], turn: &mut Turn) {
        let said: Vec<&str> = sentences.iter().map(|(text, _)| text.as_str()).collect();
        let marks: Vec<usize> = sentences.iter().filter_map(|(_, mark)| *mark).collect();
        let message = NewMessage::text(role, said.join(" "));
        self.push(message, &marks, turn);
    }

    /// Calls a tool and takes its result.
    fn call(&mut self, call: &super::files::Call, marks: &[usize], turn: &mut Turn) {
        self.n_calls += 1;
        let id = format!("call-{}", self.n_calls);
        let asked = NewMessage::tool_use(id.clone(), call.tool, call.arguments.to_string());
        self.push(asked, marks, turn);
        let result = Part::ToolResult {
            call_id: id,
            content: call.result.clone(),
            is_error: call.is_error,
        };
        self.push(NewMessage::new(Role::Tool, vec![result]), &[], turn);
    }

    fn push(&mut self, message: NewMessage, marks: &[usize], turn: &mut Turn) {
        self.now = self.now.plus_millis(MINUTE_MILLIS);
        let place = turn.messages.len();
        turn.marks.extend(marks.iter().map(|mark| (place, *mark)));
        turn.messages.push(message.at(self.now));
    }
}

/// A turn while it is being made up.
struct Telling {
    language: Language,
    turn: Turn,
    asked: Vec<(String, Option<usize>)>,
    answered: Vec<(String, Option<usize>)>,
    calls: Vec<(super::files::Call, Vec<usize>)>,
}
