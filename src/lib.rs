//! A request goes in, proven quotations come out.
//!
//! ```text
//!  files ──► discover ──► admit ──► syntax ──► store          (sync: what the project is now)
//!                                                │
//!  request ─► task ─► retrieve (recall, rank, select, prove) ─► quote + manifest
//! ```
//!
//! Modules import only modules that stand before them in this list; a test holds them to it.
//! `node` is the one that knows N-API, and only with the feature `binding`.

pub mod error;
pub mod hash;
pub mod cancel;
pub mod lines;
pub mod rel_path;
pub mod escape;
pub mod language;
pub mod patterns;
pub mod limits;
pub mod memory;
pub mod terms;
pub mod tokens;
pub mod declaration;
pub mod exclude;
pub mod secrets;
pub mod classify;
pub mod root;
pub mod git;
pub mod discover;
pub mod admit;
pub mod syntax;
pub mod places;
pub mod store;
pub mod sync;
pub mod task;
pub mod semantic;
pub mod retrieve;
pub mod quote;
pub mod manifest;
pub mod project;
// Used by the N-API face alone, which a test build leaves out.
#[cfg(any(test, feature = "binding"))]
mod threads;

#[cfg(any(test, feature = "fuzz"))]
pub mod fuzz;

// The N-API macros export nothing in a test build, where all of it would be dead code.
#[cfg(all(feature = "binding", not(test)))]
#[allow(unsafe_code, reason = "the N-API macros write some")]
mod node;
