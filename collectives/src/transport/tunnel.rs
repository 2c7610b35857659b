//! The near end of an encrypted connection.
//!
//! A loopback connection of this machine resides behind the encryption. Its near end is used like
//! any other connection, and a task forwards the bytes. No other code knows of this, at the cost of
//! two copies.

use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr};
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// The interval between two checks whether bytes have been forwarded.
const LOOK: Duration = Duration::from_millis(1);
/// More zeros than the longest frame has bytes: a reader recognises that they are not a frame.
const RUBBISH: usize = 1 << 19;

/// The encrypting side of a connection.
#[derive(Debug)]
pub(crate) struct Tunnel {
    /// Another handle of the encrypted connection.
    outer: std::net::TcpStream,
    /// The descriptor of the far end of the loopback connection, from which bytes are forwarded.
    far: RawFd,
    /// Whether bytes were taken from there that the system does not have yet.
    is_passing: AtomicBool,
    /// Whether no more bytes are forwarded.
    has_ended: AtomicBool,
}

impl Tunnel {
    /// Forwards between an encrypted stream and a new loopback connection, whose near end is
    /// returned. `outer` is another handle of the encrypted connection.
    pub(crate) async fn open(
        stream: impl AsyncRead + AsyncWrite + Send + 'static,
        outer: std::net::TcpStream,
    ) -> io::Result<(TcpStream, Arc<Tunnel>)> {
        let (near, far) = pair().await?;
        let tunnel = Arc::new(Tunnel {
            outer,
            far: far.as_raw_fd(),
            is_passing: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
        });
        let (reader, writer) = split(stream);
        let (far_reader, far_writer) = far.into_split();
        // The tasks end with the connection.
        tokio::spawn(arriving(reader, far_writer));
        tokio::spawn(leaving(far_reader, writer, tunnel.clone()));
        Ok((near, tunnel))
    }

    /// The descriptor of the encrypted connection.
    pub(super) fn outer(&self) -> RawFd {
        self.outer.as_raw_fd()
    }

    /// The address of this end of the encrypted connection.
    pub(crate) fn local_address(&self) -> io::Result<SocketAddr> {
        self.outer.local_addr()
    }

    /// The sockets that forks of this process must not keep.
    pub(super) fn sockets(&self) -> [RawFd; 2] {
        [self.outer.as_raw_fd(), self.far]
    }

    /// Whether everything written to the near end has been forwarded.
    pub(crate) fn is_flushed(&self) -> bool {
        if self.has_ended.load(Ordering::SeqCst) {
            return true;
        }
        let mut waiting: libc::c_int = 0;
        // SAFETY: the system writes one integer; a number that is closed already is an error.
        let status = unsafe { libc::ioctl(self.far, libc::FIONREAD, &raw mut waiting) };
        (status != 0 || waiting == 0) && !self.is_passing.load(Ordering::SeqCst)
    }

    /// Waits until everything written to the near end has been forwarded.
    pub(crate) async fn flushed(&self) {
        while !self.is_flushed() {
            sleep(LOOK).await;
        }
    }

    /// Ends the connection.
    pub(super) fn disconnect(&self) {
        // The connection may have ended already.
        let _ = self.outer.shutdown(Shutdown::Both);
    }
}

/// The two ends of a connection of this process with itself.
pub(crate) async fn pair() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let near = TcpStream::connect(listener.local_addr()?).await?;
    let own = near.local_addr()?;
    loop {
        let (far, from) = listener.accept().await?;
        // Another process may have connected first.
        if from == own {
            near.set_nodelay(true)?;
            far.set_nodelay(true)?;
            return Ok((near, far));
        }
    }
}

/// Forwards incoming bytes.
async fn arriving(mut from: impl AsyncRead + Unpin, mut to: OwnedWriteHalf) {
    let mut bytes = vec![0; 1 << 16];
    loop {
        let count = match from.read(&mut bytes).await {
            Ok(count @ 1..) => count,
            // If bytes do not decrypt, the reader gets zeros: it rejects a damaged frame.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                let _ = to.write_all(&vec![0; RUBBISH]).await;
                break;
            }
            Ok(0) | Err(_) => break,
        };
        if to.write_all(&bytes[..count]).await.is_err() {
            break;
        }
    }
    // If it is closed already, the reader knows.
    let _ = to.shutdown().await;
}

/// Forwards outgoing bytes.
async fn leaving(from: OwnedReadHalf, mut to: impl AsyncWrite + Unpin, tunnel: Arc<Tunnel>) {
    let mut bytes = vec![0; 1 << 16];
    while from.readable().await.is_ok() {
        // Set before the bytes leave the buffer in which others see them waiting.
        tunnel.is_passing.store(true, Ordering::SeqCst);
        let count = match from.try_read(&mut bytes) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
            Err(_) => break,
        };
        if to.write_all(&bytes[..count]).await.is_err() || to.flush().await.is_err() {
            break;
        }
        tunnel.is_passing.store(false, Ordering::SeqCst);
    }
    // The other end may have ended.
    let _ = to.shutdown().await;
    // Set before the far end is closed and its descriptor reused.
    tunnel.has_ended.store(true, Ordering::SeqCst);
}
