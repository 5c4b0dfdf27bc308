//! The N-API face: thin classes, tasks off the JavaScript thread, conversions. Holds no rule.

#![allow(unreachable_pub, reason = "the N-API macro exports public items, and nothing of the crate imports this room")]

mod embed;
mod given;
mod job;
mod made;
mod project;
mod types;

use std::path::PathBuf;
use std::sync::Arc;

use napi::bindgen_prelude::{Env, Object};
use napi_derive::napi;

use crate::cancel::Cancel;
use crate::error::Error;
use crate::project::Project as CoreProject;
use crate::rel_path::RelPath;
use crate::{quote, retrieve, store, task, tokens};
use job::Job;

/// Keeps a panic's default report off standard error: it reaches the caller as a rejection with `E_INTERNAL`.
#[napi_derive::module_init]
fn init() {
    std::panic::set_hook(Box::new(|_| {}));
}

/// The version of this package.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Tokens of a text by the estimate that budgets are kept in, before calibration.
#[napi(ts_return_type = "Promise<number>")]
pub fn count_tokens<'env>(env: &'env Env, text: String) -> napi::Result<Object<'env>> {
    Job::start(env, None)?.run(move |_| Ok(tokens::count(&text)), |_, count| Ok(count as f64))
}

/// The limits for a model with the given window, lowered by `maxProjectTokens` (default 20,000), from its samples, oldest first.
///
/// Throws `E_INVALID_ARGUMENT` for a number that is no whole one.
#[napi]
pub fn token_limits(
    env: Env,
    context_window: Option<f64>,
    max_project_tokens: Option<f64>,
    samples: Option<Vec<types::TokenSample>>,
) -> napi::Result<types::TokenLimits> {
    given::token_limits(context_window, max_project_tokens, samples).map_err(|error| coded(&env, &error))
}

/// Opens a project.
///
/// With `trusted` other than `true` nothing at or below `path` is opened, listed or stat'ed, and no stored index is opened.
/// A project that is untrusted, refused or without a usable index opens all the same: its `status()` says so.
///
/// Rejects with `E_INVALID_ARGUMENT` for a data directory inside the project or a bound out of range.
#[napi(ts_return_type = "Promise<Project>")]
pub fn open_project<'env>(env: &'env Env, options: types::OpenOptions<'env>) -> napi::Result<Object<'env>> {
    let is_off = options.trusted && options.enabled == Some(false);
    let options = given::open_options(options);
    let open = move |_: &Cancel| {
        let options = options?;
        if is_off { Ok(CoreProject::disabled(options.trust)) } else { CoreProject::open(options) }
    };
    Job::start(env, None)?.run(open, |env, core| project::Project::new(env, Arc::new(core)))
}

/// Whether messages may leave for a destination, one verdict for each: that they read as messages of ours, and the secret and class rules on
/// all that they quote. Needs no project and reads no file.
///
/// Rejects with `E_INVALID_ARGUMENT` for a name that is none.
#[napi(ts_return_type = "Promise<BlockVerdict[]>")]
pub fn check_blocks<'env>(
    env: &'env Env,
    blocks: Vec<types::BlockToCheck>,
    #[napi(ts_arg_type = "'local' | 'remote'")] destination: String,
    privacy: Option<types::Privacy>,
) -> napi::Result<Object<'env>> {
    Job::start(env, None)?.run(
        move |_| {
            let audience = given::audience(Some(&destination), privacy.as_ref())?;
            Ok(given::blocks(blocks)?.into_iter().map(|(text, class)| quote::check(&text, class, &audience).err()).collect::<Vec<_>>())
        },
        |_, rules| Ok(rules.into_iter().map(|rule| types::BlockVerdict { allowed: rule.is_none(), rule: rule.map(str::to_owned) }).collect::<Vec<_>>()),
    )
}

/// What a request is about: the files, names, errors, phrases and words that retrieval looks for. Needs no project.
#[napi(ts_return_type = "Promise<TaskDescriptor>")]
pub fn describe_task<'env>(env: &'env Env, text: String) -> napi::Result<Object<'env>> {
    Job::start(env, None)?.run(move |_| Ok(task::describe(&text)), |_, found| Ok(made::task(found)))
}

/// The declarations of a text, in the language that `path` names. Needs no project and no file.
///
/// Rejects with `E_PATH_INVALID` for a path that is absolute or leaves its root.
#[napi(ts_return_type = "Promise<Outline>")]
pub fn parse_source<'env>(env: &'env Env, path: String, text: String) -> napi::Result<Object<'env>> {
    Job::start(env, None)?.run(move |_| Ok(retrieve::outline_of(&RelPath::parse(&path)?, &text)), |_, outline| Ok(made::outline(outline)))
}

/// The indexes in a data directory (default: the user's), by project. Nothing of the projects is read but whether their folders are there.
#[napi(ts_return_type = "Promise<StoredIndex[]>")]
pub fn list_indexes<'env>(env: &'env Env, data_directory: Option<String>) -> napi::Result<Object<'env>> {
    Job::start(env, None)?
        .run(move |_| store::indexes(&project_place(data_directory)?), |_, found| Ok(found.into_iter().map(made::stored_index).collect::<Vec<_>>()))
}

/// Removes the index of a project, named as `listIndexes` names it; false if there is none.
///
/// Rejects with `E_STORE_UNAVAILABLE` while a process indexes into it.
#[napi(ts_return_type = "Promise<boolean>")]
pub fn remove_index<'env>(env: &'env Env, project: String, data_directory: Option<String>) -> napi::Result<Object<'env>> {
    Job::start(env, None)?.run(move |_| store::remove_index(&project_place(data_directory)?, &project), |_, removed| Ok(removed))
}

fn project_place(data_directory: Option<String>) -> crate::error::Result<PathBuf> {
    crate::project::data_directory(data_directory.map(PathBuf::from))
}

/// A core error as the JavaScript `Error` with its stable `code`. Only on the JavaScript thread.
fn coded(env: &Env, error: &Error) -> napi::Error {
    let make = || -> napi::Result<napi::Error> {
        let mut object = env.create_error(napi::Error::from_reason(error.message.clone()))?;
        napi::bindgen_prelude::JsObjectValue::set_named_property(&mut object, "code", error.code.as_str())?;
        Ok(napi::Error::from_unknown_without_coercion(napi::JsValue::to_unknown(&object)))
    };
    make().unwrap_or_else(|fault| fault)
}
