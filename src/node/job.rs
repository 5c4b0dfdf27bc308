//! One call off the JavaScript thread: a thread to itself, a promise, a cancel flag tied to an `AbortSignal`.

use napi::JsDeferred;
use napi::bindgen_prelude::{Env, FnArgs, Function, FunctionRef, JsObjectValue, Object, ObjectRef, ToNapiValue};

use super::coded;
use crate::cancel::Cancel;
use crate::error::{Code, Error, Result, guarded};
use crate::threads;

type Settle<T> = Box<dyn FnOnce(Env) -> napi::Result<T> + Send>;

/// A call that is about to run.
pub(super) struct Job<'env> {
    env: &'env Env,
    cancel: Cancel,
    listener: Option<Listener>,
}

/// The `abort` listener on the caller's signal, taken off again when the call settles.
struct Listener {
    signal: ObjectRef<false>,
    callback: FunctionRef<(), ()>,
}

/// Rejects the promise if it is dropped unsettled: an unsettled one would keep the process alive for ever.
struct Pending<T: ToNapiValue + 'static>(Option<JsDeferred<T, Settle<T>>>);

impl<T: ToNapiValue> Pending<T> {
    fn settle(mut self, settle: Settle<T>) {
        if let Some(deferred) = self.0.take() {
            deferred.resolve(settle);
        }
    }
}

impl<T: ToNapiValue> Drop for Pending<T> {
    fn drop(&mut self) {
        if let Some(deferred) = self.0.take() {
            deferred.reject(napi::Error::from_reason("the call ended without a result"));
        }
    }
}

impl<'env> Job<'env> {
    /// Prepares a call that stops when `signal` aborts. The signal may be aborted already.
    pub(super) fn start(env: &'env Env, signal: Option<Object<'_>>) -> napi::Result<Job<'env>> {
        let cancel = Cancel::default();
        let listener = match signal {
            Some(signal) => listen(env, &signal, &cancel)?,
            None => None,
        };
        Ok(Job { env, cancel, listener })
    }

    /// The flag that stops the call.
    pub(super) fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }

    /// Runs `work` on a thread that does nothing else and turns its result into JavaScript with `convert`.
    pub(super) fn run<C, T>(
        self,
        work: impl FnOnce(&Cancel) -> Result<C> + Send + 'static,
        convert: impl FnOnce(&Env, C) -> napi::Result<T> + Send + 'static,
    ) -> napi::Result<Object<'env>>
    where
        C: Send + 'static,
        T: ToNapiValue + 'static,
    {
        let Job { env, cancel, listener } = self;
        let (deferred, promise) = env.create_deferred::<T, Settle<T>>()?;
        let pending = Pending(Some(deferred));
        let body = move || {
            let outcome = guarded(|| cancel.check().and_then(|()| work(&cancel)));
            pending.settle(Box::new(move |env| {
                if let Some(listener) = listener {
                    listener.remove(&env)?;
                }
                outcome.map_err(|error| coded(&env, &error)).and_then(|value| convert(&env, value))
            }));
        };
        threads::run(Box::new(body)).map_err(|error| coded(env, &Error::new(Code::Internal, format!("no thread could be started: {error}"))))?;
        Ok(promise)
    }
}

fn listen(env: &Env, signal: &Object<'_>, cancel: &Cancel) -> napi::Result<Option<Listener>> {
    if signal.get::<bool>("aborted")?.unwrap_or(false) {
        cancel.cancel();
        return Ok(None);
    }
    let flag = cancel.clone();
    let callback: Function<'_, (), ()> = env.create_function_from_closure("onAbort", move |_| {
        flag.cancel();
        Ok(())
    })?;
    call_with_listener(signal, "addEventListener", callback)?;
    Ok(Some(Listener { signal: signal.create_ref()?, callback: callback.create_ref()? }))
}

type ListenerArguments<'a> = FnArgs<(&'static str, Function<'a, (), ()>)>;

fn call_with_listener<'a>(signal: &Object<'a>, method: &str, callback: Function<'a, (), ()>) -> napi::Result<()> {
    let function: Function<'_, ListenerArguments<'a>, ()> = signal.get_named_property(method)?;
    function.apply(*signal, ("abort", callback).into())
}

impl Listener {
    fn remove(self, env: &Env) -> napi::Result<()> {
        let signal = self.signal.get_value(env)?;
        let callback = self.callback.borrow_back(env)?;
        call_with_listener(&signal, "removeEventListener", callback)?;
        self.signal.unref(env)
    }
}
