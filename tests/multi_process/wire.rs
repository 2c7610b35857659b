//! A way between two processes on which bytes are lost, changed, added or late.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Passes on what one process and the coordinator send each other.
pub struct Wire {
    /// Where the process finds the coordinator.
    pub address: String,
    ends: Arc<Mutex<Vec<TcpStream>>>,
}

/// Text that is replaced by other text of the same length on its way to the coordinator.
pub type Change = (&'static [u8], &'static [u8]);

impl Wire {
    /// A way to a coordinator, which need not listen yet.
    pub fn to(coordinator: String, change: Option<Change>) -> Wire {
        Wire::late_to(coordinator, change, Duration::ZERO)
    }

    /// As `to`; what goes to the coordinator is held up for so long.
    pub fn late_to(coordinator: String, change: Option<Change>, delay: Duration) -> Wire {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there are free ports");
        let address = listener.local_addr().expect("a bound socket has an address").to_string();
        let ends = Arc::<Mutex<Vec<TcpStream>>>::default();
        let shared = ends.clone();
        // Ends with the program of the tests.
        thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                // Nobody there yet: the process finds its connection closed and tries again.
                let Ok(far) = TcpStream::connect(&coordinator) else { continue };
                let copies = [&near, &far].map(|end| end.try_clone().expect("a socket"));
                let [back, forth] = copies;
                *lock(&shared) = vec![near, far];
                let own = shared.clone();
                thread::spawn(move || pass_on(back, 1, &own, change, delay));
                let own = shared.clone();
                thread::spawn(move || pass_on(forth, 0, &own, None, Duration::ZERO));
            }
        });
        Wire { address, ends }
    }

    /// Sends bytes to the coordinator in the name of the process, between two of its messages.
    pub fn inject(&self, bytes: &[u8]) {
        let mut ends = lock(&self.ends);
        ends[1].write_all(bytes).expect("the coordinator is there");
    }

    /// Ends the connection.
    pub fn close(&self) {
        for end in lock(&self.ends).iter() {
            // It fails only for a connection that has ended.
            let _ = end.shutdown(Shutdown::Both);
        }
    }
}

fn lock(ends: &Mutex<Vec<TcpStream>>) -> MutexGuard<'_, Vec<TcpStream>> {
    ends.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads from one end and writes to the end of that number until either closes.
fn pass_on(
    mut from: TcpStream,
    to: usize,
    ends: &Mutex<Vec<TcpStream>>,
    change: Option<Change>,
    delay: Duration,
) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if let Some((old, new)) = change {
            let found = bytes[..count].windows(old.len()).position(|part| part == old);
            if let Some(at) = found {
                bytes[at..at + new.len()].copy_from_slice(new);
            }
        }
        thread::sleep(delay);
        if lock(ends)[to].write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = lock(ends)[to].shutdown(Shutdown::Write);
}
