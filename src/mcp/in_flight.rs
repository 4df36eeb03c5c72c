//! Requests that are not answered yet. Owns how many there may be: reading waits for room, so that
//! a client that does not read its answers cannot make the server hold more and more of them.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Units of room: one for each request, and one more for each [`UNIT_BYTES`] of it.
const ROOM: u32 = 64;
/// Bytes that one unit stands for.
const UNIT_BYTES: usize = 1024 * 1024;

/// Requests that were called off of which the ids are remembered.
const CALLED_OFF: usize = 256;

/// The ids of the requests of one client that were called off lately. Their work may not have ended
/// yet: the SDK would take what comes of it for the answer to another request of that id.
#[derive(Debug, Default)]
pub(super) struct CalledOff(VecDeque<RequestId>);

impl CalledOff {
    pub(super) fn note(&mut self, id: &RequestId) {
        if self.0.len() >= CALLED_OFF {
            self.0.pop_front();
        }
        self.0.push_back(id.clone());
    }

    pub(super) fn holds(&self, id: &RequestId) -> bool {
        self.0.contains(id)
    }
}

/// The requests of one client.
#[derive(Clone)]
pub(super) struct InFlight {
    room: Arc<Semaphore>,
    requests: Arc<Mutex<HashMap<RequestId, OwnedSemaphorePermit>>>,
    called_off: Arc<Mutex<CalledOff>>,
}

impl InFlight {
    pub(super) fn new() -> Self {
        Self {
            room: Arc::new(Semaphore::new(ROOM as usize)),
            requests: Arc::default(),
            called_off: Arc::default(),
        }
    }

    /// Says whether a request of this id waits for its answer.
    pub(super) fn holds(&self, id: &RequestId) -> bool {
        self.lock().contains_key(id)
    }

    /// Says whether no other request may have this id.
    pub(super) fn is_used(&self, id: &RequestId) -> bool {
        self.holds(id) || self.lock_called_off().holds(id)
    }

    /// Waits until there is room for a request of `n_bytes`, and takes it in. A call that is
    /// dropped takes nothing in.
    pub(super) async fn admit(&self, id: &RequestId, n_bytes: usize) {
        let units = u32::try_from(1 + n_bytes / UNIT_BYTES).unwrap_or(ROOM);
        let room = Arc::clone(&self.room);
        // The semaphore is never closed, so room comes in the end.
        if let Ok(permit) = room.acquire_many_owned(units.min(ROOM)).await {
            self.lock().insert(id.clone(), permit);
        }
    }

    /// Frees the room of a request that was called off.
    pub(super) fn call_off(&self, id: &RequestId) {
        if self.release(id).is_some() {
            self.lock_called_off().note(id);
        }
    }

    /// Frees the id of a request that is being answered. Its room is free once what this returns is
    /// dropped.
    #[must_use]
    pub(super) fn release(&self, id: &RequestId) -> Option<OwnedSemaphorePermit> {
        self.lock().remove(id)
    }

    /// Waits until every request is answered.
    pub(super) async fn all_settled(&self) {
        drop(self.room.acquire_many(ROOM).await);
    }

    fn lock_called_off(&self) -> MutexGuard<'_, CalledOff> {
        let called_off = self.called_off.lock();
        called_off.unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, OwnedSemaphorePermit>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
