//! The threads that calls run on. One that is done waits a while for the next call: what it remembers of words, and of memory, makes that call quicker.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

type Work = Box<dyn FnOnce() + Send>;

/// Threads that wait. None on Windows, where an addon can be unloaded below them.
const MAX_WAITING: usize = if cfg!(windows) { 0 } else { 2 };
/// How long one waits.
const PATIENCE: Duration = Duration::from_secs(5);

static WAITING: Mutex<Vec<(u64, SyncSender<Work>)>> = Mutex::new(Vec::new());
static STARTED: AtomicU64 = AtomicU64::new(0);

fn waiting() -> MutexGuard<'static, Vec<(u64, SyncSender<Work>)>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work`, which must not panic, on a thread that does nothing else meanwhile.
///
/// # Errors
/// The operating system's, if a thread is needed and can't be started.
pub(crate) fn run(work: Work) -> std::io::Result<()> {
    // The newest waiting thread has the most in its caches.
    let Some((_, thread)) = waiting().pop() else { return start(work) };
    thread.send(work).or_else(|returned| start(returned.0))
}

fn start(work: Work) -> std::io::Result<()> {
    let own = STARTED.fetch_add(1, Ordering::Relaxed);
    std::thread::Builder::new().name("pi-context-call".to_owned()).spawn(move || serve(own, work)).map(drop)
}

fn serve(own: u64, mut work: Work) {
    let (send, receive) = sync_channel(1);
    loop {
        work();
        {
            let mut waiting = waiting();
            if waiting.len() >= MAX_WAITING {
                return;
            }
            waiting.push((own, send.clone()));
        }
        work = match receive.recv_timeout(PATIENCE) {
            Ok(work) => work,
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                let mut waiting = waiting();
                if let Some(at) = waiting.iter().position(|(thread, _)| *thread == own) {
                    waiting.remove(at);
                    return;
                }
                drop(waiting);
                // A caller has just taken this thread.
                let Ok(work) = receive.recv() else { return };
                work
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_thread_is_used_again_and_calls_at_once_have_threads_of_their_own() {
        let (send, receive) = channel();
        let call = |hold: std::sync::mpsc::Receiver<()>| {
            let send = send.clone();
            run(Box::new(move || {
                send.send(std::thread::current().id()).unwrap();
                let _ = hold.recv();
            }))
            .unwrap();
        };
        let (holds, held): (Vec<_>, Vec<_>) = (0..4).map(|_| channel::<()>()).unzip();
        held.into_iter().for_each(call);
        let first: std::collections::HashSet<_> = (0..4).map(|_| receive.recv().unwrap()).collect();
        assert_eq!(first.len(), 4);
        drop(holds);
        while waiting().len() < MAX_WAITING {
            std::thread::yield_now();
        }
        for _ in 0..20 {
            let (hold, held) = channel();
            drop(hold);
            call(held);
            assert!(MAX_WAITING == 0 || first.contains(&receive.recv().unwrap()));
            while waiting().len() < MAX_WAITING {
                std::thread::yield_now();
            }
        }
        assert!(waiting().len() <= MAX_WAITING);
    }
}
