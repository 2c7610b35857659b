//! Notices machines that vanish silently: a cut cable, a host that loses power.
//!
//! It asks the operating system at the other end, not the process. Systems confirm received bytes
//! and answer probes of idle connections, even for a process that computes, gets no processor time,
//! or was stopped by a debugger for an hour. No such process is taken for dead, and when a process
//! ends, its system reports that at once. `TCP_USER_TIMEOUT` would be simpler, but also ends
//! connections whose other end confirms everything and merely has no room for more.

use super::fabric::Fabric;
use super::link::Link;
use std::io;
use std::os::fd::RawFd;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{MissedTickBehavior, interval};

/// How long the other system may leave probes unanswered before its rank counts as dead.
const SILENCE: Duration = Duration::from_secs(3);
/// The interval between two checks.
const LOOK: Duration = Duration::from_millis(250);

/// Checks all links until the task is dropped.
pub(crate) async fn watch(fabric: Arc<Fabric>) {
    let mut watched: Vec<(Arc<Link>, bool)> =
        fabric.links().map(|link| (link.clone(), false)).collect();
    let mut looks = interval(LOOK);
    // After this process was stopped, answers get a whole interval to arrive.
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        looks.tick().await;
        watched.retain_mut(|(link, is_suspect)| match unanswered(link.socket()) {
            _ if link.has_left() => false,
            Ok(silence) => {
                // A question may be new: only a second suspect check in a row counts.
                let was_suspect = std::mem::replace(is_suspect, silence >= SILENCE);
                if *is_suspect && was_suspect {
                    vanished(&fabric, link, silence);
                }
                !(*is_suspect && was_suspect)
            }
            Err(error) => {
                tracing::debug!(peer = link.peer, %error, "the connection cannot be watched");
                limit(&link.stream);
                false
            }
        });
    }
}

fn vanished(fabric: &Fabric, link: &Link, silence: Duration) {
    link.mark_left();
    link.disconnect();
    if !fabric.is_leaving() {
        let reason = format!("its machine has not answered for {:.1} s", silence.as_secs_f64());
        fabric.fail(fabric.doings.died(link.peer, reason));
    }
}

/// How long the other system has left bytes or probes unanswered; zero if none are outstanding.
#[cfg(target_os = "linux")]
fn unanswered(socket: RawFd) -> io::Result<Duration> {
    // SAFETY: `tcp_info` consists of integers, for which all bits zero are a value.
    let mut info: libc::tcp_info = unsafe { std::mem::zeroed() };
    let mut len = libc::socklen_t::try_from(size_of_val(&info)).expect("bug: a long structure");
    // SAFETY: a closed descriptor gives an error; the system writes at most `len` bytes, the size
    // of `info`, whose bytes may have any value.
    let status = unsafe {
        libc::getsockopt(
            socket,
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            std::ptr::from_mut(&mut info).cast(),
            &mut len,
        )
    };
    if status != 0 {
        return Err(io::Error::last_os_error());
    }
    // Any answer resets both counts, including one that reports a full buffer.
    if info.tcpi_retransmits == 0 && info.tcpi_probes == 0 {
        return Ok(Duration::ZERO);
    }
    Ok(Duration::from_millis(info.tcpi_last_ack_recv.min(info.tcpi_last_data_recv).into()))
}

/// Other systems rely on probes of idle connections.
#[cfg(not(target_os = "linux"))]
fn unanswered(_socket: RawFd) -> io::Result<Duration> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Lets the system end a connection whose bytes are not confirmed, if it can.
fn limit(stream: &TcpStream) {
    #[cfg(target_os = "linux")]
    if let Err(error) = socket2::SockRef::from(stream).set_tcp_user_timeout(Some(SILENCE)) {
        tracing::warn!(%error, "the loss of a machine may be detected late");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = stream;
}
