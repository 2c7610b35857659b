//! Numbers that the members of a communicator tell each other, and waiting for what is on its way.

use crate::error::RunError;
use phalanx_collectives::{CollectiveError, Communicator};
use phalanx_device::{Buffer, Event};

/// The numbers of all members, each of which has as many, in the order of the members. Collective.
pub(crate) fn gather(
    communicator: &dyn Communicator,
    own: &[usize],
) -> Result<Vec<usize>, RunError> {
    let send = Buffer::from_vec(own.iter().map(|&number| number as u64).collect());
    let all = Buffer::from_vec(vec![0u64; own.len() * communicator.size()]);
    wait(&communicator.all_gather(&send.whole(), &all.whole())?)?;
    let mut bytes = vec![0; all.len()];
    all.read(0, &mut bytes);
    let (words, _) = bytes.as_chunks::<8>();
    Ok(words.iter().map(|word| u64::from_ne_bytes(*word) as usize).collect())
}

/// Waits for work of a communicator.
pub(crate) fn wait(event: &Event) -> Result<(), RunError> {
    event.wait().map_err(|error| RunError::Collective(CollectiveError::from(error)))
}
