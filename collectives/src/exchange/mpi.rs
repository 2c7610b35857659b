//! The exchange by MPI: used if the program has initialised it, or a launcher offers nothing else.

use super::way::{Exchange, ExchangeError, late, within};
use crate::CollectiveError;
use crate::planes::mpi::{Library, Mpi, Threads};
use phalanx_waiting::{LOOK, look};
use std::sync::Arc;
use std::time::{Duration, Instant};

const WAY: &str = "MPI";

/// The exchange by a broadcast of MPI, which it initialises unless it is initialised.
#[derive(Debug)]
pub struct MpiExchange {
    library: Library,
    rank: usize,
    size: usize,
}

impl MpiExchange {
    /// The exchange by a library, for process `rank` of `size`.
    ///
    /// Errors: an initialised MPI gives this process another rank or size; the library cannot be
    /// initialised under the launcher.
    pub fn new(library: Library, rank: usize, size: usize) -> Result<MpiExchange, ExchangeError> {
        let exchange = MpiExchange { library, rank, size };
        match exchange.library.place().map_err(|error| failed(&error))? {
            Some(place) => exchange.check(place)?,
            None => {
                let begins = exchange.library.can_begin();
                begins.map_err(|reason| ExchangeError::new(WAY, reason))?;
            }
        }
        Ok(exchange)
    }

    fn check(&self, place: (usize, usize)) -> Result<(), ExchangeError> {
        let checked = Library::check_place(place, (self.rank, self.size));
        checked.map_err(|reason| ExchangeError::new(WAY, reason))
    }

    /// Initialises MPI within the time-out, so a rank that never arrives is an error.
    fn begin(&self, timeout: Duration) -> Result<Arc<Mpi>, ExchangeError> {
        self.library.begin();
        let deadline = Instant::now() + timeout;
        loop {
            if let Some(outcome) = self.library.outcome() {
                return outcome.map_err(|error| failed(&error));
            }
            if look() {
                return Err(ExchangeError::new(WAY, "the user interrupted the wait"));
            }
            if Instant::now() >= deadline {
                return Err(ExchangeError::new(WAY, late(timeout)));
            }
            std::thread::sleep(LOOK.min(Duration::from_millis(5)));
        }
    }
}

impl Exchange for MpiExchange {
    fn name(&self) -> &'static str {
        WAY
    }

    fn broadcast(&mut self, own: Option<&str>, timeout: Duration) -> Result<String, ExchangeError> {
        let mpi = self.begin(timeout)?;
        self.check((mpi.rank(), mpi.size()))?;
        let own = own.map(str::to_owned);
        let threads = mpi.threads();
        let talk = move || converse(&mpi, own.as_deref()).map_err(|error| failed(&error));
        match threads {
            Threads::Serialized | Threads::Multiple => within(WAY, timeout, talk),
            // Only MPI's main thread may call it, and that must be this thread.
            Threads::Single | Threads::Funneled => talk(),
        }
    }
}

fn failed(error: &CollectiveError) -> ExchangeError {
    ExchangeError::new(WAY, error.to_string())
}

/// Broadcasts the text of rank 0: its length, then its bytes.
fn converse(mpi: &Mpi, own: Option<&str>) -> Result<String, CollectiveError> {
    let mut length = own.map_or(0, |own| own.len() as u64).to_le_bytes();
    mpi.broadcast(&mut length, 0)?;
    let mut text = own.map_or_else(Vec::new, |own| own.as_bytes().to_vec());
    text.resize(u64::from_le_bytes(length) as usize, 0);
    mpi.broadcast(&mut text, 0)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
