//! Cancellation and deadlines, asked for at every step of long work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Code, Error, Result};

/// Says whether work should go on: a flag that any thread may set, and an optional point in time.
#[derive(Debug, Clone, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Cancel {
    /// The same flag with a deadline from now on; the earlier of two deadlines holds.
    #[must_use]
    pub fn within(&self, time: Duration) -> Self {
        let end = Instant::now() + time;
        Cancel { flag: Arc::clone(&self.flag), deadline: Some(self.deadline.map_or(end, |known| known.min(end))) }
    }

    /// The same flag alone: for work of which a part is worth nothing.
    #[must_use]
    pub fn without_deadline(&self) -> Self {
        Cancel { flag: Arc::clone(&self.flag), deadline: None }
    }

    /// Asks for the work to stop.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked for the work to stop.
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// Whether the deadline has passed; what is done by then stands.
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|end| Instant::now() >= end)
    }

    /// The time until the deadline; `None` without one.
    pub fn left(&self) -> Option<Duration> {
        self.deadline.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// Whether to stop for either reason.
    pub fn should_stop(&self) -> bool {
        self.is_cancelled() || self.is_late()
    }

    /// # Errors
    /// [`Code::Cancelled`] once somebody asked for the work to stop. A passed deadline is no error.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() {
            return Err(Error::new(Code::Cancelled, "the work was cancelled by its caller"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_is_shared_and_the_deadline_is_not() {
        let cancel = Cancel::default();
        let limited = cancel.within(Duration::ZERO);
        assert!(limited.is_late() && !cancel.is_late() && !limited.without_deadline().is_late());
        assert_eq!((limited.left(), cancel.left()), (Some(Duration::ZERO), None));
        assert_eq!(limited.check(), Ok(()));
        cancel.cancel();
        assert_eq!(limited.check().unwrap_err().code, Code::Cancelled);
    }
}
