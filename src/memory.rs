//! Memory that was freed goes back to the operating system.

/// Gives back what the C library keeps of freed memory. Where that is not glibc, the library does so by itself, or can't be asked.
///
/// A sync frees tens of megabytes on several threads, and glibc would hold on to them for threads to come.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    glibc::trim();
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "the function of the C library is declared here")]
mod glibc {
    use std::ffi::c_int;

    // SAFETY: the declaration is that of `malloc.h`. The function takes any number, may be called from any thread, and touches freed memory alone.
    unsafe extern "C" {
        safe fn malloc_trim(pad: usize) -> c_int;
    }

    pub(super) fn trim() {
        // It tells only whether there was something to give back.
        let _ = malloc_trim(0);
    }
}
