//! Other forms of a word. Owns what no stemmer finds: irregular forms, and words for one's kin.
//! May hold general language only: no word comes from any set that search is measured on.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::stem::stem;

/// Irregular forms of English verbs and nouns, a line a word: those of the tables of irregular verbs
/// and plurals in the appendix of any learner's dictionary. Left out are the auxiliaries, which are
/// stop words, and forms that are more often another word (`ground`, `wound`, `bound`, `lay`,
/// `bore`).
const IRREGULAR: &str = "
arise arose arisen
awake awoke awoken
beat beaten
become became
begin began begun
bend bent
bite bitten
bleed bled
blow blew blown
break broke broken
breed bred
bring brought
build built
burn burnt
buy bought
catch caught
choose chose chosen
cling clung
come came
creep crept
deal dealt
dig dug
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
flee fled
fly flew flown
forbid forbade forbidden
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given
go went gone
grow grew grown
hang hung
hear heard
hide hid hidden
hold held
keep kept
kneel knelt
know knew known
lead led
leap leapt
learn learnt
leave left
lend lent
light lit
lose lost
make made
mean meant
meet met
mistake mistook mistaken
overcome overcame
pay paid
prove proven
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
sew sewn
shake shook shaken
shine shone
shoot shot
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
slide slid
speak spoke spoken
spend spent
spin spun
spring sprang sprung
stand stood
steal stole stolen
stick stuck
sting stung
strike struck stricken
strive strove striven
swear swore sworn
sweep swept
swell swollen
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
undergo underwent undergone
understand understood
undertake undertook undertaken
wake woke woken
wear wore worn
weave wove woven
weep wept
win won
withdraw withdrew withdrawn
write wrote written
man men
woman women
child children
person people
foot feet
tooth teeth
mouse mice
goose geese
life lives
wife wives
knife knives
leaf leaves
half halves
shelf shelves
wolf wolves
";

/// English words for the same kin, a line a relation, as `WordNet` groups them: the synonyms of
/// *mother*, *father*, *child* and so on, and what *parent*, *sibling* and *spouse* stand above.
const KIN: &str = "
mother mom mum mommy mummy mama
father dad daddy papa
grandmother grandma granny nan
grandfather grandpa granddad
child kid
sibling brother sister
parent mother mom father dad
spouse husband wife partner
grandparent grandma grandpa grandmother grandfather
aunt auntie
";

/// Words by their stems, each with the others of its lines.
type Forms = BTreeMap<String, Vec<&'static str>>;

static IRREGULAR_FORMS: LazyLock<Forms> = LazyLock::new(|| read(IRREGULAR));
static KIN_WORDS: LazyLock<Forms> = LazyLock::new(|| read(KIN));

fn read(table: &'static str) -> Forms {
    let mut forms = Forms::new();
    for line in table.lines() {
        for word in line.split(' ') {
            let others = line.split(' ').filter(|other| *other != word);
            forms
                .entry(stem(word).into_owned())
                .or_default()
                .extend(others);
        }
    }
    forms
}

/// Which other words count as a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breadth {
    /// Its irregular forms: it is the same word.
    Forms,
    /// Words for the same kin too: where some of the words are enough.
    Related,
}

/// Returns the other words that count as a folded word.
pub(super) fn other_words(word: &str, breadth: Breadth) -> Vec<&'static str> {
    let stem = stem(word);
    let mut words: Vec<&'static str> = IRREGULAR_FORMS
        .get(stem.as_ref())
        .cloned()
        .unwrap_or_default();
    if breadth == Breadth::Related {
        words.extend(KIN_WORDS.get(stem.as_ref()).into_iter().flatten());
    }
    words
}
