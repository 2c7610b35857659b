//! Limits connections that have proved nothing yet, so that strangers keep no rank out, however
//! many they open.
//!
//! A rank proves within a round trip that it knows the token. A silent caller occupies a descriptor
//! until its time-out, and a rank cannot get a descriptor that a stranger holds. Therefore the
//! number of unproved connections is limited, by address and in total. At the limit, the oldest is
//! closed; a rank whose connection is closed this way tries again.

use super::frames::PATIENCE;
use crate::open_files::{are_too_many, spare};
use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, Id, JoinSet};
use tokio::time::{sleep, timeout};

/// The most unproved connections at a time, if there are descriptors for them.
const MOST: usize = 256;
/// The pauses after the system refused a connection: if a caller was dismissed, and otherwise.
const PAUSES: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(50)];
/// The lower limit, however few descriptors there are.
const LEAST: usize = 4;

/// A listening socket and its callers that have proved nothing yet.
pub(super) struct Door<'a, T, G> {
    listener: &'a TcpListener,
    /// The handshake with a caller.
    greet: G,
    greetings: JoinSet<Option<T>>,
    /// The oldest first.
    callers: VecDeque<(Id, IpAddr, AbortHandle)>,
    most: usize,
    /// Why the system accepts no connection, if it does not.
    obstacle: Option<io::Error>,
}

impl<'a, T, G, F> Door<'a, T, G>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
    G: Fn(TcpStream) -> F,
{
    /// The door of a rank that connects with this many others.
    pub(super) fn new(listener: &'a TcpListener, ranks: usize, greet: G) -> Door<'a, T, G> {
        // Half of the descriptors that the ranks leave: libraries need some meanwhile.
        let most = (spare().saturating_sub(ranks) / 2).clamp(LEAST, MOST);
        let (greetings, callers) = (JoinSet::new(), VecDeque::new());
        Door { listener, greet, greetings, callers, most, obstacle: None }
    }

    /// The last error of accepting a connection, unless one was accepted since.
    pub(super) fn obstacle(&self) -> Option<&io::Error> {
        self.obstacle.as_ref()
    }

    /// The result of the next handshake that finishes.
    pub(super) async fn next(&mut self) -> T {
        loop {
            tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, from)) => {
                        self.obstacle = None;
                        // The listening socket has cleared this option, and a connection inherits
                        // that. Without it, the next world could not listen on this port while the
                        // connection is closing. A system that refuses it only makes that world
                        // wait or fail.
                        let _ = socket2::SockRef::from(&stream).set_reuse_address(true);
                        self.let_in(stream, from.ip());
                    }
                    Err(error) => self.refused(error).await,
                },
                Some(ended) = self.greetings.join_next_with_id() => {
                    let (id, outcome) = match ended {
                        Ok((id, outcome)) => (id, outcome),
                        Err(error) => (error.id(), None),
                    };
                    self.callers.retain(|caller| caller.0 != id);
                    if let Some(outcome) = outcome {
                        return outcome;
                    }
                }
            }
        }
    }

    fn let_in(&mut self, stream: TcpStream, address: IpAddr) {
        let is_alike = |caller: &(Id, IpAddr, AbortHandle)| caller.1 == address;
        let alike = self.callers.iter().filter(|caller| is_alike(caller)).count();
        // Three quarters for one address, because most worlds have all ranks on one machine.
        if alike >= self.most * 3 / 4 {
            let oldest = self.callers.iter().position(is_alike);
            self.dismiss(oldest.unwrap_or(0));
        } else if self.callers.len() >= self.most {
            self.dismiss(0);
        }
        let greeting = timeout(PATIENCE, (self.greet)(stream));
        let task = self.greetings.spawn(async move { greeting.await.ok() });
        self.callers.push_back((task.id(), address, task));
    }

    async fn refused(&mut self, error: io::Error) {
        tracing::warn!(%error, "a connection was not accepted");
        if are_too_many(&error) {
            self.obstacle = Some(error);
        }
        let pause = if self.callers.is_empty() { PAUSES[1] } else { PAUSES[0] };
        self.dismiss(0);
        sleep(pause).await;
    }

    fn dismiss(&mut self, at: usize) {
        if let Some((_, address, task)) = self.callers.remove(at) {
            tracing::debug!(%address, "a connection that did not prove the token was closed");
            task.abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;
    use std::net::Ipv4Addr;
    use tokio::net::TcpSocket;

    /// One address fills at most three quarters of the queue; the oldest callers leave first.
    ///
    /// Only Linux gives every address of 127.0.0.0/8 to the loopback interface.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn unproved_connections_are_limited_by_address_and_in_total() {
        const MOST: usize = 8;
        let near = |last| IpAddr::from(Ipv4Addr::new(127, 0, 0, last));
        let listener = TcpListener::bind((near(1), 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let call = async |last| {
            let socket = TcpSocket::new_v4().unwrap();
            socket.bind((near(last), 0).into()).unwrap();
            socket.connect(address).await.unwrap()
        };
        // No handshake ends: the callers stay silent.
        let greet = |stream: TcpStream| async {
            let _stream = stream;
            pending::<()>().await;
        };
        let mut door = Door::new(&listener, 1, greet);
        door.most = MOST;
        let counts = |door: &Door<'_, (), _>, last| {
            door.callers.iter().filter(|caller| caller.1 == near(last)).count()
        };

        let mut streams = Vec::new();
        for last in [[2; 2].as_slice(), &[1; 20]].concat() {
            streams.push(call(last).await);
            let _ = timeout(Duration::from_millis(20), door.next()).await;
        }
        assert_eq!((counts(&door, 1), counts(&door, 2)), (MOST * 3 / 4, 2));
        // The oldest callers of an address are closed, and the youngest stay connected.
        let mut byte = [0];
        let first = timeout(PATIENCE, streams[2].peek(&mut byte)).await.unwrap();
        assert!(matches!(first, Ok(0) | Err(_)));
        let last = streams.last().unwrap();
        assert!(timeout(Duration::from_millis(20), last.readable()).await.is_err());

        for _ in 0..MOST {
            streams.push(call(3).await);
            let _ = timeout(Duration::from_millis(20), door.next()).await;
        }
        assert_eq!(door.callers.len(), MOST);
        assert_eq!(counts(&door, 3), MOST * 3 / 4);
    }
}
