//! How much memory the parser asks for: what no count of its steps tells, as one step of a recovery from errors may copy all that was read.

use std::cell::Cell;
use std::sync::Once;

thread_local! {
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

/// Bytes that the parser has asked for on this thread so far, given back or not; it counts from the first call on.
pub(super) fn asked() -> usize {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(counted::install);
    ASKED.get()
}

#[allow(unsafe_code, reason = "the parser takes its allocator as functions of C")]
mod counted {
    use std::ffi::c_void;

    use super::ASKED;

    // SAFETY: the declarations are those of `stdlib.h`.
    unsafe extern "C" {
        fn malloc(size: usize) -> *mut c_void;
        fn calloc(count: usize, size: usize) -> *mut c_void;
        fn realloc(place: *mut c_void, size: usize) -> *mut c_void;
        fn free(place: *mut c_void);
    }

    pub(super) fn install() {
        // SAFETY: each function asks the C library for what the function of its name asks for, which is what the parser uses else; so it does not matter
        // which of both gave a block that is given back later.
        unsafe { tree_sitter::set_allocator(Some(tree_sitter::Allocator { malloc: asked_malloc, calloc: asked_calloc, realloc: asked_realloc, free })) }
    }

    unsafe extern "C" fn asked_malloc(size: usize) -> *mut c_void {
        // SAFETY: any size may be asked for.
        given(size, unsafe { malloc(size) })
    }

    unsafe extern "C" fn asked_calloc(count: usize, size: usize) -> *mut c_void {
        // SAFETY: any sizes may be asked for.
        given(count.saturating_mul(size), unsafe { calloc(count, size) })
    }

    unsafe extern "C" fn asked_realloc(place: *mut c_void, size: usize) -> *mut c_void {
        // SAFETY: the parser gives a block that it has from one of these functions, or none.
        given(size, unsafe { realloc(place, size) })
    }

    /// The parser takes a block for granted: without memory the process ends, as it does where Rust finds none.
    fn given(size: usize, block: *mut c_void) -> *mut c_void {
        ASKED.set(ASKED.get().wrapping_add(size));
        if block.is_null() && size > 0 {
            std::process::abort();
        }
        block
    }
}
