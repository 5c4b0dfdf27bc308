//! The host's function that makes vectors, called from the core's threads: they wait, the JavaScript thread never does.

use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use napi::bindgen_prelude::{Float32Array, FromNapiValue as _, Function, JsObjectValue as _, Object, PromiseRaw, Unknown};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{JsValue as _, Status as NapiStatus};

use crate::cancel::Cancel;
use crate::semantic::{Embedder, Refusal};

/// What the host's function gives back: looked at only once it has settled.
type Promised = PromiseRaw<'static, Unknown<'static>>;
/// The host's function; it never keeps the process alive.
type Embed = ThreadsafeFunction<Vec<String>, Promised, Vec<String>, NapiStatus, false, true>;
/// The host's function as JavaScript gives it.
pub type EmbedFunction<'env> = Function<'env, Vec<String>, Promised>;

type Outcome = Result<Vec<Vec<f32>>, Refusal>;

/// How long a call waits before it looks whether it was cancelled.
const STEP: Duration = Duration::from_millis(10);

pub(super) struct HostEmbedder {
    function: Embed,
    dimensions: usize,
}

impl HostEmbedder {
    /// Only on the JavaScript thread.
    pub(super) fn new(function: &EmbedFunction<'_>, dimensions: usize) -> napi::Result<HostEmbedder> {
        Ok(HostEmbedder { function: function.build_threadsafe_function().weak::<true>().build()?, dimensions })
    }
}

fn failed() -> Refusal {
    // What the host threw may hold text, so it is not repeated.
    Refusal::new("provider", "the host's function failed")
}

fn late() -> Refusal {
    Refusal::new("time-out", "the host's function was not done in time")
}

impl Embedder for HostEmbedder {
    fn embed(&self, texts: Vec<String>, wait: Duration, cancel: &Cancel) -> Outcome {
        let end = Instant::now() + wait;
        let (send, receive) = sync_channel(1);
        let expected = (texts.len(), self.dimensions);
        let listen = move |promise, _| {
            listen(promise, expected, send);
            Ok(())
        };
        if self.function.call_with_return_value(texts, ThreadsafeFunctionCallMode::NonBlocking, listen) != NapiStatus::Ok {
            return Err(failed());
        }
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match receive.recv_timeout(left.min(STEP)) {
                Ok(outcome) => return outcome,
                Err(RecvTimeoutError::Disconnected) => return Err(failed()),
                Err(RecvTimeoutError::Timeout) if left.is_zero() || cancel.is_cancelled() => return Err(late()),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

fn listen(promise: napi::Result<Promised>, expected: (usize, usize), send: SyncSender<Outcome>) {
    let (rejected, unheard) = (send.clone(), send.clone());
    let subscribe = || {
        promise?
            .then(move |settled| {
                let _ = send.try_send(vectors(settled.value, expected));
                Ok(())
            })?
            .catch(move |_: napi::bindgen_prelude::CallbackContext<Unknown<'static>>| {
                let _ = rejected.try_send(Err(failed()));
                Ok(())
            })
    };
    let subscribed: napi::Result<PromiseRaw<'_, ()>> = subscribe();
    if subscribed.is_err() {
        let _ = unheard.try_send(Err(failed()));
    }
}

/// Reads a list of vectors; lengths are looked at before anything is copied.
fn vectors(value: Unknown<'_>, (count, dimensions): (usize, usize)) -> Outcome {
    let is_list = value.is_array().unwrap_or(false);
    let list = Object::from_unknown(value).map_err(|_| failed())?;
    let length = if is_list { list.get_array_length().unwrap_or(0) as usize } else { 0 };
    if length != count {
        return Err(Refusal::new("vector-count", format!("{count} texts were given and {length} vectors came back")));
    }
    (0..count as u32)
        .map(|at| {
            let vector = list.get_element::<Unknown<'_>>(at).map_err(|_| failed())?;
            if vector.is_typedarray().unwrap_or(false) {
                let numbers = Float32Array::from_unknown(vector).map_err(|_| Refusal::new("vector", "a vector is no Float32Array and no list of numbers"))?;
                return Ok(if numbers.len() == dimensions { numbers.to_vec() } else { Vec::new() });
            }
            let is_list = vector.is_array().unwrap_or(false);
            let vector = Object::from_unknown(vector).map_err(|_| failed())?;
            if !is_list || vector.get_array_length().unwrap_or(0) as usize != dimensions {
                // It is refused for its dimensions.
                return Ok(Vec::new());
            }
            // What is no number is none of the vector's: not finite.
            Ok((0..dimensions as u32).map(|at| vector.get_element::<f64>(at).map_or(f32::NAN, |number| number as f32)).collect())
        })
        .collect()
}
