//! Exchanges of small values by which the members of a communicator group decide alike.

use super::host::HostGroup;
use crate::CollectiveError;
use phalanx_device::Buffer;

/// Gathers the bytes of every member; all members pass the same number of bytes. Collective.
pub(super) fn gathered(host: &HostGroup, own: &[u8]) -> Result<Vec<Vec<u8>>, CollectiveError> {
    let all = Buffer::from_vec(vec![0u8; own.len() * host.group.size()]);
    host.all_gather(&Buffer::from_vec(own.to_vec()).whole(), &all.whole())?;
    let mut bytes = vec![0; all.len()];
    all.read(0, &mut bytes);
    Ok(bytes.chunks_exact(own.len()).map(<[u8]>::to_vec).collect())
}

/// Whether all members pass `true`. Collective.
pub(super) fn all_agree(host: &HostGroup, own: bool) -> Result<bool, CollectiveError> {
    Ok(gathered(host, &[u8::from(own)])?.iter().all(|one| one == &[1]))
}
