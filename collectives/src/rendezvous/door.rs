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
            tracing::debug!(%address, "a connection that has proved nothing was closed");
            task.abort();
        }
    }
}
