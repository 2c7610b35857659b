//! A connection between two processes that loses, changes, adds or delays bytes.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Passes on the bytes between one process and the coordinator.
pub struct Wire {
    /// Where the process finds the coordinator.
    pub address: String,
    ends: Arc<Mutex<Vec<TcpStream>>>,
    /// For each direction, back and forth.
    flips: Arc<[Flip; 2]>,
}

/// After how many bytes which bit changes.
type Flip = Mutex<Option<(usize, u32)>>;

impl Wire {
    /// A connection to a coordinator, which need not listen yet.
    pub fn to(coordinator: String) -> Wire {
        Wire::late_to(coordinator, Duration::ZERO)
    }

    /// As `to`; bytes to the coordinator are delayed by this time.
    pub fn late_to(coordinator: String, delay: Duration) -> Wire {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there are free ports");
        let address = listener.local_addr().expect("a bound socket has an address").to_string();
        let ends = Arc::<Mutex<Vec<TcpStream>>>::default();
        let flips = Arc::<[Flip; 2]>::default();
        let (shared, flipped) = (ends.clone(), flips.clone());
        // Ends with the program of the tests.
        thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                // No listener yet: the process finds its connection closed and tries again.
                let Ok(far) = TcpStream::connect(&coordinator) else { continue };
                let copies = [&near, &far].map(|end| end.try_clone().expect("a socket"));
                let [back, forth] = copies;
                *lock(&shared) = vec![near, far];
                let (own, flips) = (shared.clone(), flipped.clone());
                thread::spawn(move || pass_on(back, 1, &own, &flips[1], delay));
                let (own, flips) = (shared.clone(), flipped.clone());
                thread::spawn(move || pass_on(forth, 0, &own, &flips[0], Duration::ZERO));
            }
        });
        Wire { address, ends, flips }
    }

    /// Sends bytes to the coordinator in the name of the process, between two of its messages.
    pub fn inject(&self, bytes: &[u8]) {
        let mut ends = lock(&self.ends);
        ends[1].write_all(bytes).expect("the coordinator is there");
    }

    /// Changes a bit of the byte that follows so many others, on the way to the
    /// coordinator or back.
    pub fn flip(&self, after: usize, bit: usize, to_coordinator: bool) {
        let flip = &self.flips[usize::from(to_coordinator)];
        *flip.lock().unwrap_or_else(PoisonError::into_inner) = Some((after, bit as u32));
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
    flip: &Flip,
    delay: Duration,
) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        let mut flip = flip.lock().unwrap_or_else(PoisonError::into_inner);
        *flip = match *flip {
            Some((after, bit)) if after < count => {
                bytes[after] ^= 1 << bit;
                None
            }
            waiting => waiting.map(|(after, bit)| (after - count, bit)),
        };
        drop(flip);
        thread::sleep(delay);
        if lock(ends)[to].write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = lock(ends)[to].shutdown(Shutdown::Write);
}
