//! The entry to a world of several processes.

use crate::open_files::raise_limit;
use crate::planes::mpi::Library;
use crate::rendezvous::{Wish, attend, coordinate, facts};
use crate::{CollectiveError, Rendezvous, Transport, World};
use phalanx_waiting::{LOOK, look};

impl Rendezvous {
    /// Meets the others. Collective over all processes; a world of one process opens no socket and
    /// starts no thread.
    ///
    /// Errors: `Token`, `Listen`, `RanksMissing`, `CoordinatorUnreachable`, `Disagreement`,
    /// `DuplicateRank`, `Membership`, `PeerUnreachable`, `RankDied`, `RankSilent`, `Protocol`,
    /// `MpiUnavailable` and `Network`, on every present rank; `Closed` if the user interrupts the
    /// call.
    pub fn join(mut self) -> Result<World, CollectiveError> {
        let Rendezvous { rank, size, local_devices, .. } = self;
        if rank >= size || local_devices == 0 {
            return Err(CollectiveError::Membership { rank, size, local_devices });
        }
        if size == 1 {
            return World::alone(local_devices, self.facts);
        }
        raise_limit();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| CollectiveError::network(&error))?;
        let listener = self.listener.take();
        let transport = self.transport;
        self.facts.extend(facts(&self));
        if transport != Transport::Auto {
            let asked = String::from(transport.name());
            self.agreement.push((String::from("PHALANX_TRANSPORT"), asked));
        }
        let meet = async {
            if rank == 0 { coordinate(&self, listener).await } else { attend(&self).await }
        };
        let given_up = async {
            while !look() {
                tokio::time::sleep(LOOK).await;
            }
        };
        let joined = runtime.block_on(async {
            tokio::select! {
                joined = meet => joined,
                () = given_up => Err(CollectiveError::Closed),
            }
        });
        let joined = joined?;
        if let (Transport::Mpi, Err(reason)) = (transport, &joined.mpi) {
            return Err(CollectiveError::MpiUnavailable { reason: reason.clone() });
        }
        let wish = Wish {
            is_mpi_asked: transport == Transport::Mpi,
            takes_device_memory: self.mpi.as_ref().ok().and_then(Library::cuda_option),
            timeout: self.timeout,
        };
        Ok(World::connected(runtime, joined, self.stall)?.with(wish))
    }
}
