//! Numbers that the members of a communicator tell each other, and waiting for what is on its way.

use crate::error::RunError;
use phalanx_collectives::{CollectiveError, Communicator};
use phalanx_device::{Buffer, Event};
use phalanx_ops::{DType, Monoid};

/// The numbers of all members, each of which has as many, in the order of the members. Collective.
pub(crate) fn gather(
    communicator: &dyn Communicator,
    own: &[usize],
) -> Result<Vec<usize>, RunError> {
    let (send, all) = (words(own), words(&vec![0; own.len() * communicator.size()]));
    wait(&communicator.all_gather(&send.whole(), &all.whole())?)?;
    Ok(numbers(&all))
}

/// Sends equally many numbers to each member, and receives as many from each. Collective.
pub(crate) fn all_to_all(
    communicator: &dyn Communicator,
    own: &[usize],
) -> Result<Vec<usize>, RunError> {
    let (send, receive) = (words(own), words(&vec![0; own.len()]));
    let counts = vec![send.len() / communicator.size(); communicator.size()];
    wait(&communicator.all_to_all_v(&send.whole(), &counts, &receive.whole(), &counts)?)?;
    Ok(numbers(&receive))
}

/// The largest of the members' numbers, place by place. Collective.
pub(crate) fn largest(
    communicator: &dyn Communicator,
    own: &[usize],
) -> Result<Vec<usize>, RunError> {
    let data = words(own);
    wait(&communicator.all_reduce(&data.whole(), DType::U64, Monoid::Max)?)?;
    Ok(numbers(&data))
}

/// Numbers as words in the host's memory.
fn words(numbers: &[usize]) -> Buffer {
    Buffer::from_vec(numbers.iter().map(|&number| number as u64).collect())
}

fn numbers(words: &Buffer) -> Vec<usize> {
    let mut bytes = vec![0; words.len()];
    words.read(0, &mut bytes);
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().map(|word| u64::from_ne_bytes(*word) as usize).collect()
}

/// Waits for work of a communicator.
pub(crate) fn wait(event: &Event) -> Result<(), RunError> {
    event.wait().map_err(|error| RunError::Collective(CollectiveError::from(error)))
}
