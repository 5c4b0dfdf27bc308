//! The one error type of the core: a stable code, and a sentence that says what, where, and what to do.

use std::fmt;

/// What went wrong, as a stable identifier that hosts may branch on.
///
/// The string form ([`Code::as_str`]) is part of the public contract: codes are added, never renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// The project is not trusted; nothing was read.
    Untrusted,
    /// The user's settings turn it off; nothing was read.
    Disabled,
    /// The path is one that is never indexed: a drive or file-system root, the home directory or an ancestor of it, or no directory.
    RootRefused,
    /// The directory at the project's path is not the one that was opened.
    RootReplaced,
    /// A path given by the caller is absolute, leaves the project, or is no valid path.
    PathInvalid,
    /// No such file in the project.
    NotFound,
    /// The file exists and a rule keeps it out; the message names the rule.
    Excluded,
    /// The file is not the one that the caller's hash names.
    Changed,
    /// An argument is missing, of the wrong form, or out of range; the message names it and what is allowed.
    InvalidArgument,
    /// The handle was closed.
    Closed,
    /// The caller's abort signal fired.
    Cancelled,
    /// The index cannot be opened, read or written; the message says why.
    StoreUnavailable,
    /// The index was written by a newer version of this package, and was left as it is.
    StoreNewer,
    /// The operating system refused a read of the project.
    Io,
    /// A fault of this package; please report it.
    Internal,
}

impl Code {
    /// The stable string that JavaScript sees as `error.code`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Code::Untrusted => "E_UNTRUSTED",
            Code::Disabled => "E_DISABLED",
            Code::RootRefused => "E_ROOT_REFUSED",
            Code::RootReplaced => "E_ROOT_REPLACED",
            Code::PathInvalid => "E_PATH_INVALID",
            Code::NotFound => "E_NOT_FOUND",
            Code::Excluded => "E_EXCLUDED",
            Code::Changed => "E_CHANGED",
            Code::InvalidArgument => "E_INVALID_ARGUMENT",
            Code::Closed => "E_CLOSED",
            Code::Cancelled => "E_CANCELLED",
            Code::StoreUnavailable => "E_STORE_UNAVAILABLE",
            Code::StoreNewer => "E_STORE_NEWER",
            Code::Io => "E_IO",
            Code::Internal => "E_INTERNAL",
        }
    }
}

/// Characters of a message.
const MAX_MESSAGE_CHARS: usize = 1_000;

/// An error of the core. Messages never hold file contents, request text or secret values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The stable code.
    pub code: Code,
    /// One sentence for people: what, where, what to do.
    pub message: String,
}

/// The result of every fallible function of the core.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error with the given code and message. What a caller gave may be of any length, so a long message is cut.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let mut message = message.into();
        if let Some((end, _)) = message.char_indices().nth(MAX_MESSAGE_CHARS) {
            message.truncate(end);
            message.push('…');
        }
        Error { code, message }
    }

    /// An operating-system error at a place in the project.
    pub fn io(what: impl fmt::Display, error: &std::io::Error) -> Self {
        Error::new(Code::Io, format!("{what}: {error}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.code.as_str(), self.message)
    }
}

impl std::error::Error for Error {}

/// Runs work so that a panic in it, or in a thread that it waits for, becomes an error.
///
/// # Errors
/// Those of the work; `Internal` for a panic.
pub fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(Error::new(Code::Internal, "an internal fault stopped this call; the project and its index are unharmed. Please report it")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_also_in_a_thread_that_is_waited_for() {
        use rayon::prelude::*;
        type Work = fn() -> Result<usize>;
        let works: [Work; 3] = [
            || panic!("with a secret"),
            || Ok([1, 0].into_par_iter().map(|by| 1 / by).sum()),
            || std::thread::scope(|scope| scope.spawn(|| "".parse::<usize>().unwrap()).join().map_err(|panic| std::panic::resume_unwind(panic))),
        ];
        for work in works {
            let error = guarded(work).unwrap_err();
            assert_eq!(error.code, Code::Internal);
            assert!(!error.message.contains("secret"));
        }
        assert_eq!(guarded(|| Ok(1)), Ok(1));
    }

    #[test]
    fn a_message_is_cut_at_a_character() {
        let long = Error::io("ä".repeat(5_000), &std::io::Error::from(std::io::ErrorKind::NotFound));
        assert_eq!(long.message, format!("{}…", "ä".repeat(1_000)));
        assert_eq!(Error::new(Code::Io, "short").message, "short");
    }
}
