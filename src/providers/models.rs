//! Models in order: the first that answers. Owns deadlines, attempts and how many calls run at once.
//! May not hide who answered: the completion names its model.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use thiserror::Error;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout_at};

use super::client::{Client, Manner};
use super::endpoint::{Endpoint, EndpointError, VARIABLES};
use super::fault::Fault;
use super::name::{ModelName, ModelNameError};
use super::retry::RetryPolicy;
use crate::domain::{Redacted, Redactor, Tokens};
use crate::engine::{CompleteError, CompleteOptions, Completer, Completion, FailureKind};
use crate::policy::prompt::Prompt;
use crate::policy::redact::Literals;

/// Calls that run at once at most: enough for a turn and the background, few enough for the limits of
/// a small account.
const AT_ONCE: usize = 4;

/// A window that is smaller is taken for a slip of the pen: nothing could be asked within it.
const LEAST_WINDOW: u64 = 512;

/// What is kept of the time a call may take, in percent, so that its error comes before the engine's
/// own bound.
const KEPT_PERCENT: u32 = 95;

/// Why models cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ModelsError {
    /// None is named.
    #[error("no model is named")]
    None,
    /// A text names none.
    #[error(transparent)]
    Name(#[from] ModelNameError),
    /// A provider cannot be reached.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// TLS or the client beneath could not be set up.
    #[error("{model} cannot be called: {why}")]
    Client {
        /// Which.
        model: String,
        /// Why.
        why: String,
    },
}

/// A [`Completer`] that asks models in order until one answers.
///
/// Each is tried as often as the [`RetryPolicy`] says while its share of the time lasts: a rate limit,
/// an overload, a broken connection or answer is tried again, no other failure is. A key that is
/// refused keeps all models with that key from being asked.
pub struct Models {
    name: String,
    clients: Vec<Client>,
    policy: RetryPolicy,
    permits: Semaphore,
    /// The keys of every provider, of those that are not asked too.
    own: Literals,
    window: Option<Tokens>,
    /// The smallest window that a provider told when a prompt was too long; 0 while none has.
    told_window: AtomicU64,
}

impl std::fmt::Debug for Models {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<String> = self.names().map(ToString::to_string).collect();
        formatter.debug_tuple("Models").field(&names).finish()
    }
}

impl Models {
    /// Makes clients of the models named, the first one first; `environment` looks up a variable.
    ///
    /// # Errors
    /// `None` without a name; `Name` for one that is no name; `Endpoint` if a key or an address is
    /// missing or wrong; `Client` if TLS cannot be set up.
    pub fn named<N: AsRef<str>>(
        names: impl IntoIterator<Item = N>,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ModelsError> {
        let names: Result<Vec<ModelName>, _> = names
            .into_iter()
            .map(|name| name.as_ref().parse())
            .collect();
        Self::new(names?, environment)
    }

    /// Makes clients of models.
    ///
    /// # Errors
    /// As [`Models::named`].
    pub fn new(
        names: Vec<ModelName>,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ModelsError> {
        let mut clients = Vec::with_capacity(names.len());
        for name in names {
            let endpoint = Endpoint::look_up(name.provider(), environment)?;
            let model = name.to_string();
            let client =
                Client::new(name, endpoint).map_err(|why| ModelsError::Client { model, why })?;
            clients.push(client);
        }
        let keys = VARIABLES.iter().filter(|name| name.ends_with("_KEY"));
        let keys = keys.filter_map(|name| environment(name));
        let first = clients.first().ok_or(ModelsError::None)?;
        Ok(Self {
            name: first.name.to_string(),
            clients,
            policy: RetryPolicy::default(),
            permits: Semaphore::new(AT_ONCE),
            own: Literals::of(keys.map(|key| key.trim().to_owned())),
            window: None,
            told_window: AtomicU64::new(0),
        })
    }

    /// Sets how often and how soon a call is made again.
    #[must_use]
    pub const fn retry(mut self, policy: RetryPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets how many calls run at once at most; 0 is taken as 1.
    #[must_use]
    pub fn at_once(mut self, calls: usize) -> Self {
        self.permits = Semaphore::new(calls.clamp(1, Semaphore::MAX_PERMITS));
        self
    }

    /// Sets the window of the smallest of the models, where it is known.
    #[must_use]
    pub const fn window(mut self, tokens: Tokens) -> Self {
        self.window = Some(tokens);
        self
    }

    /// Returns the models in order.
    pub fn names(&self) -> impl Iterator<Item = &ModelName> {
        self.clients.iter().map(|client| &client.name)
    }

    /// Asks one model until it answers, fails for good or its time is up.
    async fn ask(
        &self,
        client: &Client,
        prompt: &Prompt,
        options: &CompleteOptions,
        until: Instant,
    ) -> Result<Completion, Fault> {
        let mut n_failed = 0;
        let mut manner = Manner::Asked;
        loop {
            let fault = match timeout_at(until, client.ask(prompt, options, manner)).await {
                Ok(Ok(completion)) => return Ok(completion),
                Ok(Err(fault)) => fault,
                Err(_) => return Err(in_time(client)),
            };
            let is_temperature = fault.kind == FailureKind::Rejected
                && manner == Manner::Asked
                && fault.words.contains("temperature");
            if is_temperature {
                manner = Manner::Plain;
                continue;
            }
            n_failed += 1;
            let wait = if fault.is_passing() {
                self.policy.wait(n_failed, fault.retry_after, chance())
            } else {
                None
            };
            let Some(wait) = wait.filter(|wait| {
                let ends = Instant::now().checked_add(*wait);
                ends.is_some_and(|ends| ends < until)
            }) else {
                return Err(fault);
            };
            tracing::debug!(
                model = %client.name,
                kind = fault.kind.as_str(),
                n_failed,
                wait_millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
                "asks again"
            );
            sleep(wait).await;
        }
    }

    /// Keeps the window that a failure tells, so that the next prompt fits at once.
    fn learn(&self, fault: &Fault) {
        if let FailureKind::TooLong { limit: Some(limit) } = fault.kind
            && limit.get() >= LEAST_WINDOW
        {
            let smaller =
                |before: u64| (before == 0 || limit.get() < before).then_some(limit.get());
            // Refused where the window kept is smaller already.
            let _ = self
                .told_window
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, smaller);
        }
    }

    /// Asks the models in order.
    async fn first_answer(
        &self,
        prompt: &Prompt,
        options: &CompleteOptions,
        deadline: Instant,
    ) -> Result<Completion, CompleteError> {
        let mut faults: Vec<(&Client, Fault)> = Vec::new();
        for (client_idx, client) in self.clients.iter().enumerate() {
            let is_refused = faults.iter().any(|(other, fault)| {
                fault.kind == FailureKind::Auth && other.endpoint == client.endpoint
            });
            if is_refused {
                continue;
            }
            let n_left = u32::try_from(self.clients.len() - client_idx).unwrap_or(u32::MAX);
            let left = deadline.saturating_duration_since(Instant::now());
            let share = Instant::now() + left / n_left;
            match self.ask(client, prompt, options, share).await {
                Ok(completion) => return Ok(completion),
                Err(fault) => {
                    tracing::info!(model = %client.name, kind = fault.kind.as_str(), "no answer of this model");
                    self.learn(&fault);
                    faults.push((client, fault));
                }
            }
        }
        let words: Vec<String> = faults
            .iter()
            .map(|(_, fault)| fault.words.clone())
            .collect();
        let last = faults.pop().map(|(_, fault)| fault);
        let fault = last.unwrap_or_else(|| Fault::new(FailureKind::Other, "no model was asked"));
        let words = self.own.redact(&words.join("; ")).text.into_owned();
        Err(Fault::new(fault.kind, words).into_error())
    }
}

#[async_trait]
impl Completer for Models {
    fn name(&self) -> &str {
        &self.name
    }

    fn redact<'text>(&self, text: &'text str) -> Redacted<'text> {
        self.own.redact(text)
    }

    fn context_window(&self) -> Option<Tokens> {
        let told = Some(self.told_window.load(Ordering::Relaxed)).filter(|told| *told > 0);
        match (self.window, told.map(Tokens::new)) {
            (Some(set), Some(told)) => Some(set.min(told)),
            (set, told) => set.or(told),
        }
    }

    async fn complete(
        &self,
        prompt: &Prompt,
        options: &CompleteOptions,
    ) -> Result<Completion, CompleteError> {
        let deadline = Instant::now() + kept(options.timeout);
        // The permit is held until the last model is done with, and given back when this is dropped.
        let permit = timeout_at(deadline, self.permits.acquire()).await;
        let Ok(Ok(_permit)) = permit else {
            let error = CompleteError::new("other calls were running for all of the time");
            return Err(error.kind(FailureKind::TimedOut));
        };
        self.first_answer(prompt, options, deadline).await
    }
}

fn kept(timeout: Duration) -> Duration {
    timeout / 100 * KEPT_PERCENT
}

fn in_time(client: &Client) -> Fault {
    let words = format!("{} did not answer in time", client.name);
    Fault::new(FailureKind::TimedOut, words)
}

/// Returns a number from 0 to 1 by chance; 1 where the system has none to give.
fn chance() -> f64 {
    getrandom::u32().map_or(1.0, |number| f64::from(number) / f64::from(u32::MAX))
}
