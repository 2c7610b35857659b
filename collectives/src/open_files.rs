//! How many files, and therefore connections, the process may have open.
//!
//! A world has a connection to each other process, and its libraries have more. Many systems limit
//! a program to 1,024 open files until it raises this limit itself, up to a second limit.

use std::io;

/// Raises the limit of open files as far as the system allows.
pub(crate) fn raise_limit() {
    let Some(mut limit) = limit() else { return };
    if limit.rlim_cur < limit.rlim_max {
        limit.rlim_cur = limit.rlim_max;
        // SAFETY: the structure is read.
        if unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) } != 0 {
            let error = io::Error::last_os_error();
            tracing::debug!(%error, "the limit of open files was not raised");
        }
    }
}

/// How many more files the process may open, as far as known.
pub(crate) fn spare() -> usize {
    let Some(limit) = limit() else { return usize::MAX };
    let most = usize::try_from(limit.rlim_cur).unwrap_or(usize::MAX);
    // If the system does not list open files, assume the few of a new process.
    let open = std::fs::read_dir("/dev/fd").map_or(32, |open| open.count());
    most.saturating_sub(open)
}

fn limit() -> Option<libc::rlimit> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure is written.
    let status = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    (status == 0).then_some(limit)
}

/// Whether the error says that the process has reached its limit of open files.
pub(crate) fn are_too_many(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EMFILE)
}

/// The system's error text, with the limit of open files if that was reached.
pub(crate) fn explained(error: &io::Error) -> String {
    match limit() {
        Some(limit) if are_too_many(error) => format!(
            "{error}: this process may have {} files open, and a world has a connection to each \
             other process; raise the limit (`ulimit -Hn`, LimitNOFILE of a service)",
            limit.rlim_cur
        ),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_raised_and_named() {
        raise_limit();
        let limit = limit().unwrap();
        // Some systems allow less than they state.
        if cfg!(target_os = "linux") {
            assert_eq!(limit.rlim_cur, limit.rlim_max);
        }
        let too_many = explained(&io::Error::from_raw_os_error(libc::EMFILE));
        let named = format!("this process may have {} files open", limit.rlim_cur);
        assert!(too_many.contains(&named) && too_many.contains("ulimit"), "{too_many}");
        let other = io::Error::from_raw_os_error(libc::ECONNREFUSED);
        assert_eq!(explained(&other), other.to_string());
    }
}
