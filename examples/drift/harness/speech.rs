//! How people and agents say things, in three languages. Owns the sentences of the talk.
//! May not know what is true: the teller does.

/// What a scene is spoken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    German,
    Chinese,
}

impl Language {
    pub(crate) const ALL: [Self; 3] = [Self::English, Self::German, Self::Chinese];
}

/// How a constraint is said, and how it ends: `{a}` is its name, `{n}` its number, `{m}` a new one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    pub(crate) sets: &'static str,
    pub(crate) ends: &'static str,
}

impl Language {
    /// Constraints that are taken back.
    pub(crate) const fn lifted_rules(self) -> [Rule; 3] {
        match self {
            Self::English => [
                Rule {
                    sets: "Never push to the {a} branch.",
                    ends: "You may push to the {a} branch again.",
                },
                Rule {
                    sets: "Always run {a} before you commit.",
                    ends: "You no longer need to run {a} before you commit.",
                },
                Rule {
                    sets: "Do not change the {a} table, not even \"for a test\" & <quickly>.",
                    ends: "You can change the {a} table again.",
                },
            ],
            Self::German => [
                Rule {
                    sets: "Pushe niemals auf den Branch {a}.",
                    ends: "Du darfst wieder auf den Branch {a} pushen.",
                },
                Rule {
                    sets: "Führe vor jedem Commit immer {a} aus.",
                    ends: "Du musst {a} vor dem Commit nicht mehr ausführen.",
                },
                Rule {
                    sets: "Die Tabelle {a} darf nicht geändert werden.",
                    ends: "Die Tabelle {a} darf wieder geändert werden.",
                },
            ],
            Self::Chinese => [
                Rule {
                    sets: "绝对不要推送到 {a} 分支。",
                    ends: "现在可以再推送到 {a} 分支了。",
                },
                Rule {
                    sets: "提交之前必须运行 {a}。",
                    ends: "提交之前不用再运行 {a} 了。",
                },
                Rule {
                    sets: "不要修改 {a} 表。",
                    ends: "现在可以再修改 {a} 表了。",
                },
            ],
        }
    }

    /// Constraints whose value is replaced.
    pub(crate) const fn replaced_rules(self) -> [Rule; 2] {
        match self {
            Self::English => [
                Rule {
                    sets: "The {a} service must listen on port {n}.",
                    ends: "From now on the {a} service must listen on port {m} instead of {n}.",
                },
                Rule {
                    sets: "Use at most {n} rows a batch for {a}.",
                    ends: "Use at most {m} rows a batch for {a} from now on instead of {n}.",
                },
            ],
            Self::German => [
                Rule {
                    sets: "Der Dienst {a} muss auf Port {n} hören.",
                    ends: "Der Dienst {a} muss ab jetzt auf Port {m} statt {n} hören.",
                },
                Rule {
                    sets: "Nimm für {a} höchstens {n} Zeilen je Stapel.",
                    ends: "Nimm für {a} ab jetzt höchstens {m} statt {n} Zeilen je Stapel.",
                },
            ],
            Self::Chinese => [
                Rule {
                    sets: "{a} 服务必须监听端口 {n}。",
                    ends: "从现在起 {a} 服务必须监听端口 {m}，而不是 {n}。",
                },
                Rule {
                    sets: "{a} 每批最多只能处理 {n} 行。",
                    ends: "从现在起 {a} 每批最多只能处理 {m} 行，而不是 {n} 行。",
                },
            ],
        }
    }

    /// A decision for `{a}` against `{b}`, and why: `{c}`.
    pub(crate) const fn decision(self) -> &'static str {
        match self {
            Self::English => "We decided to use {a} and not {b}, because {a} supports {c}.",
            Self::German => "Wir haben uns für {a} und gegen {b} entschieden, weil {a} {c} kann.",
            Self::Chinese => "我们决定采用 {a}，放弃 {b}，因为 {a} 支持 {c}。",
        }
    }

    /// An id `{a}` of a thing.
    pub(crate) const fn identifier(self) -> &'static str {
        match self {
            Self::English => "What we are looking at is {a}.",
            Self::German => "Es geht dabei um {a}.",
            Self::Chinese => "我们看的是 {a}。",
        }
    }

    /// A number `{n}` of `{a}`, as a person says it.
    pub(crate) const fn number(self) -> &'static str {
        match self {
            Self::English => "The queue of {a} held {n} entries last night.",
            Self::German => "Die Schlange von {a} hatte gestern Nacht {n} Einträge.",
            Self::Chinese => "昨晚 {a} 的队列里有 {n} 条记录。",
        }
    }

    /// Work that is left: `{a}` for `{b}`.
    pub(crate) const fn open(self) -> &'static str {
        match self {
            Self::English => "Still to do: connect {a} to {b}.",
            Self::German => "Noch offen: {a} an {b} anschließen.",
            Self::Chinese => "待办：把 {a} 接到 {b}。",
        }
    }

    /// Work that is finished: `{a}` for `{b}`.
    pub(crate) const fn done(self) -> &'static str {
        match self {
            Self::English => "Done: {a} is connected to {b}.",
            Self::German => "Erledigt: {a} ist an {b} angeschlossen.",
            Self::Chinese => "已完成：{a} 已经接到 {b}。",
        }
    }

    /// What a user asks in between.
    pub(crate) const fn requests(self) -> [&'static str; 5] {
        match self {
            Self::English => [
                "Please look at why the nightly report is slow.",
                "The booking page shows the wrong berth after a reload, can you find out why?",
                "Let us go through the failing checks one by one.",
                "I would like the tide table to load faster.",
                "Have a look at the warnings in the pilot roster.",
            ],
            Self::German => [
                "Schau dir bitte an, warum der nächtliche Bericht so lange braucht.",
                "Die Buchungsseite zeigt nach dem Neuladen den falschen Liegeplatz, woran liegt das?",
                "Lass uns die fehlgeschlagenen Prüfungen der Reihe nach durchgehen.",
                "Die Gezeitentafel könnte schneller laden.",
                "Wirf einen Blick auf die Warnungen im Lotsenplan.",
            ],
            Self::Chinese => [
                "请看看夜间报告为什么这么慢。",
                "预订页面刷新后显示的泊位不对，能查一下原因吗？",
                "我们把失败的检查一个一个过一遍。",
                "潮汐表加载得有点慢。",
                "看一下引航排班里的警告。",
            ],
        }
    }

    /// What an agent says when it has looked.
    pub(crate) const fn answers(self) -> [&'static str; 5] {
        match self {
            Self::English => [
                "The slow part is the join over the old bookings; the rest takes a few milliseconds.",
                "The page keeps the berth of the first load in its cache and shows that again.",
                "Two of the checks fail for the same reason: the clock of the fixture stands still.",
                "The table is read once for each harbour, which adds up over a day.",
                "The warnings come from shifts that begin before the one before them has ended.",
            ],
            Self::German => [
                "Langsam ist die Verknüpfung mit den alten Buchungen, der Rest dauert Millisekunden.",
                "Die Seite behält den Liegeplatz des ersten Ladens im Zwischenspeicher.",
                "Zwei Prüfungen scheitern aus demselben Grund: die Uhr der Testdaten steht still.",
                "Die Tafel wird für jeden Hafen einmal gelesen, das summiert sich über den Tag.",
                "Die Warnungen kommen von Schichten, die vor dem Ende der vorigen beginnen.",
            ],
            Self::Chinese => [
                "慢的是和旧预订的连接，其余部分只要几毫秒。",
                "页面把第一次加载的泊位留在缓存里，之后又显示出来。",
                "有两个检查因为同一个原因失败：测试数据的时钟是停的。",
                "每个港口都会把表读一遍，一天下来就多了。",
                "警告来自在前一班结束之前就开始的班次。",
            ],
        }
    }
}

/// Fills in a sentence.
pub(crate) fn fill(sentence: &str, slots: &[(&str, &str)]) -> String {
    slots
        .iter()
        .fold(sentence.to_owned(), |filled, (slot, value)| {
            filled.replace(slot, value)
        })
}
