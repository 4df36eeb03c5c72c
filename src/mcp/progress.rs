//! Signs of life while a tool works, for clients that ask for them. Owns their rhythm.
//! May not hold a tool up.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use tokio::time::{Interval, MissedTickBehavior, interval};

/// Time between two signs.
const PACE: Duration = Duration::from_secs(1);

/// Does `work`; as long as it lasts, the client is told every second for how many seconds it has,
/// if it asked for that. How many there will be nobody knows.
pub(super) async fn with_progress<T>(
    context: &RequestContext<RoleServer>,
    doing: &str,
    work: impl Future<Output = T>,
) -> T {
    let Some(token) = context.meta.get_progress_token() else {
        return work.await;
    };
    let mut work = std::pin::pin!(work);
    let mut pace: Interval = interval(PACE);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut seconds = 0.0;
    loop {
        tokio::select! {
            biased;
            done = &mut work => return done,
            _ = pace.tick() => {
                let sign = ProgressNotificationParam::new(token.clone(), seconds)
                    .with_message(doing);
                seconds += 1.0;
                // A sign that cannot be given is no reason to stop.
                drop(context.peer.notify_progress(sign).await);
            }
        }
    }
}
