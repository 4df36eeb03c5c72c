//! An engine as a process: reads requests, answers them, and says what each took.

use std::io::{self, BufRead, Write};

use crate::clock::Moment;
use crate::protocol::{Answer, Batch, Grep, Request, Sync, View};

/// What came of a request.
pub(crate) enum Outcome {
    Done {
        count: u64,
        bytes: u64,
    },
    /// The engine has no such thing.
    Unsupported(&'static str),
}

impl Outcome {
    pub(crate) fn done(count: usize, bytes: usize) -> Self {
        Self::Done {
            count: u64::try_from(count).unwrap(),
            bytes: u64::try_from(bytes).unwrap(),
        }
    }
}

pub(crate) type Reply = Result<Outcome, Box<dyn std::error::Error>>;

/// What is measured; a request that it has no answer to it does not support.
pub(crate) trait Subject {
    fn open(&mut self, folder: &str, sync: Sync) -> Reply;

    fn append(&mut self, batch: Batch) -> Reply {
        self.turn(batch)
    }

    fn turn(&mut self, batch: Batch) -> Reply;

    fn import(&mut self, _path: &str) -> Reply {
        Ok(Outcome::Unsupported("reads no transcripts"))
    }

    fn leaf(&mut self, _session: &str, _text: &str) -> Reply {
        Ok(Outcome::Unsupported("has no summaries"))
    }

    fn condense(&mut self, _session: &str, _text: &str) -> Reply {
        Ok(Outcome::Unsupported("has no summaries"))
    }

    fn view(&mut self, _view: &View) -> Reply {
        Ok(Outcome::Unsupported("has no view"))
    }

    fn grep(&mut self, _grep: &Grep) -> Reply {
        Ok(Outcome::Unsupported("has no search"))
    }

    fn expand(&mut self, _hits: usize) -> Reply {
        Ok(Outcome::Unsupported("has no search"))
    }

    fn settle(&mut self) -> Reply {
        Ok(Outcome::done(0, 0))
    }

    fn close(&mut self) -> Reply;
}

/// Answers requests until the subject is closed.
pub(crate) fn serve(subject: &mut dyn Subject) -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut line = String::new();
    let mut ended = Moment::now();
    loop {
        line.clear();
        if input.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let request: Request = serde_json::from_str(&line)?;
        let is_last = matches!(request, Request::Close);
        let began = Moment::now();
        let reply = run(subject, request);
        let now = Moment::now();
        let (passed, between) = (now.since(began), began.since(ended));
        ended = now;
        let mut answer = Answer {
            wall_us: passed.wall,
            cpu_us: passed.process,
            // Between two calls this thread does nothing but read and write lines.
            behind_us: (between.process - between.thread).max(0.0),
            ..Answer::default()
        };
        match reply {
            Ok(Outcome::Done { count, bytes }) => {
                (answer.ok, answer.count, answer.bytes) = (true, count, bytes);
            }
            Ok(Outcome::Unsupported(why)) => answer.unsupported = Some(why.to_owned()),
            Err(error) => answer.error = Some(error.to_string()),
        }
        serde_json::to_writer(&mut output, &answer)?;
        output.write_all(b"\n")?;
        output.flush()?;
        if is_last {
            return Ok(());
        }
    }
}

fn run(subject: &mut dyn Subject, request: Request) -> Reply {
    match request {
        Request::Open { folder, sync } => subject.open(&folder, sync),
        Request::Append(batch) => subject.append(batch),
        Request::Turn(batch) => subject.turn(batch),
        Request::Import { path } => subject.import(&path),
        Request::Leaf { session, text } => subject.leaf(&session, &text),
        Request::Condense { session, text } => subject.condense(&session, &text),
        Request::View(view) => subject.view(&view),
        Request::Grep(grep) => subject.grep(&grep),
        Request::Expand { hits } => subject.expand(hits),
        Request::Settle => subject.settle(),
        Request::Close => subject.close(),
    }
}
