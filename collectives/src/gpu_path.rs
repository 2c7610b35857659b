//! Chooses how data in GPU memory travels: by NCCL, by MPI, or through host memory.

use crate::facts::Facts;
use crate::planes::nccl::{common_nccl, gpus};
use crate::prices::Prices;
use std::fmt;
use std::sync::Arc;

/// The name of messages between GPUs of different processes by NCCL in a price table.
pub const NCCL_PRICE: &str = "nccl-gpus";
/// The name of messages between GPUs of different processes by MPI in a price table.
pub const MPI_PRICE: &str = "mpi-gpus";
/// The name of messages between GPUs of one process in a price table.
pub const LOCAL_GPUS_PRICE: &str = "local-gpus";

/// How data in GPU memory travels; the same for all processes of a world.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GpuPath {
    /// By NCCL in communicator groups whose members have a GPU each; other groups exchange through
    /// host memory.
    Nccl {
        /// The version of NCCL.
        version: String,
        /// The first two devices of the world that share a GPU, if there are any.
        shared: Option<[usize; 2]>,
    },
    /// By MPI with addresses of GPU memory; an exchange at start has proved that this works.
    Mpi {
        /// Why NCCL is not used.
        instead_of_nccl: String,
    },
    /// By MPI with pinned host memory; data is copied between it and the GPUs.
    Staged {
        /// Why MPI does not receive addresses of GPU memory, and why NCCL is not used.
        reason: String,
    },
    /// Through host memory, and by TCP between processes.
    Host {
        /// Why NCCL is not used. MPI carries no messages here.
        reason: String,
    },
}

impl fmt::Display for GpuPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GpuPath::Nccl { version, shared: None } => write!(f, "by NCCL {version}"),
            GpuPath::Nccl { version, shared: Some([first, second]) } => write!(
                f,
                "through the host's memory in groups in which devices share a GPU, as devices \
                 {first} and {second} do, and by NCCL {version} in others"
            ),
            GpuPath::Mpi { instead_of_nccl } => {
                write!(f, "by MPI from GPU to GPU, proved at start ({instead_of_nccl})")
            }
            GpuPath::Staged { reason } => {
                write!(f, "by MPI through pinned memory of the host: {reason}")
            }
            GpuPath::Host { reason } => write!(f, "through the host's memory: {reason}"),
        }
    }
}

/// The chosen plane for the GPUs of a world.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Choice {
    /// NCCL, with its version and the GPU of every member.
    Nccl(String, Vec<Arc<str>>),
    /// MPI, from GPU memory if it accepts that, else from host memory; and why not NCCL.
    Mpi(String),
    /// MPI from GPU memory, which was measured to be faster; if it refuses that, NCCL as above.
    FasterByMpi(String, Vec<Arc<str>>),
    /// Host memory, with the reason.
    Host(String),
    /// Some member has no GPU.
    NoGpus,
}

/// The facts for the choice besides NCCL; the same on all processes.
#[derive(Clone, Copy, Default)]
pub(crate) struct Besides<'a> {
    /// Whether messages between processes travel by MPI.
    pub(crate) uses_mpi: bool,
    /// Whether the user asks for MPI.
    pub(crate) is_mpi_asked: bool,
    /// The price table, if messages were measured.
    pub(crate) prices: Option<&'a Prices>,
}

/// Chooses by facts that all processes know, so all choose alike. NCCL is chosen if all have the
/// same version, unless the user asks for MPI or MPI was measured to be faster (compared only if
/// each process has one GPU). Otherwise MPI, if it carries the messages between processes.
pub(crate) fn choose(facts: &[Facts], device_counts: &[usize], besides: Besides<'_>) -> Choice {
    let Besides { uses_mpi, is_mpi_asked, prices } = besides;
    let Some(gpus) = gpus(facts, device_counts) else { return Choice::NoGpus };
    // Prices are those of messages between processes. Within a process, NCCL copies peer to peer.
    let is_one_each = device_counts.iter().all(|count| *count == 1);
    let is_mpi_faster =
        || is_one_each && prices.is_some_and(|it| it.is_faster(MPI_PRICE, NCCL_PRICE));
    let reason = match common_nccl(facts) {
        Ok(_) if uses_mpi && is_mpi_asked => String::from("PHALANX_TRANSPORT is mpi"),
        Ok(version) if uses_mpi && is_mpi_faster() => {
            return Choice::FasterByMpi(String::from(version), gpus);
        }
        Ok(version) => return Choice::Nccl(String::from(version), gpus),
        Err(reason) => reason,
    };
    if uses_mpi { Choice::Mpi(reason) } else { Choice::Host(reason) }
}

/// The first two devices that share a GPU.
pub(crate) fn first_shared(gpus: &[Arc<str>]) -> Option<[usize; 2]> {
    let before = |device: usize| gpus[..device].iter().position(|gpu| *gpu == gpus[device]);
    (0..gpus.len()).find_map(|device| Some([before(device)?, device]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prices::Price;

    const BY_MPI: Besides<'_> = Besides { uses_mpi: true, is_mpi_asked: false, prices: None };
    const ASKED: Besides<'_> = Besides { is_mpi_asked: true, ..BY_MPI };

    fn process(gpus: &str, nccl: Option<&str>) -> Facts {
        let fact = |name: &str, value: &str| (String::from(name), String::from(value));
        let nccl = nccl.map(|version| fact("nccl", version));
        [fact("gpus", gpus)].into_iter().chain(nccl).collect()
    }

    #[test]
    fn nccl_is_preferred_unless_mpi_is_asked_for() {
        let both = [process("a", Some("2.28.9")), process("b", Some("2.28.9"))];
        let by_nccl = Choice::Nccl(String::from("2.28.9"), vec!["a".into(), "b".into()]);
        assert_eq!(choose(&both, &[1, 1], BY_MPI), by_nccl);
        assert_eq!(choose(&both, &[1, 1], Besides::default()), by_nccl);
        let asked = Choice::Mpi(String::from("PHALANX_TRANSPORT is mpi"));
        assert_eq!(choose(&both, &[1, 1], ASKED), asked);
    }

    #[test]
    fn mpi_is_taken_where_it_was_measured_to_be_faster() {
        let both = [process("a", Some("2.28.9")), process("b", Some("2.28.9"))];
        let identities: Vec<Arc<str>> = vec!["a".into(), "b".into()];
        let version = || String::from("2.28.9");
        let mut prices = Prices::default();
        prices.set(NCCL_PRICE, Price { latency: 2e-5, rate: 3e11 });
        let by_nccl = Choice::Nccl(version(), identities.clone());
        let choice = |prices: &Prices, besides: Besides<'_>| {
            let besides = Besides { prices: Some(prices), ..besides };
            choose(&both, &[1, 1], besides)
        };
        assert_eq!(choice(&prices, BY_MPI), by_nccl);
        // Slower for short messages, faster for long ones.
        prices.set(MPI_PRICE, Price { latency: 3e-5, rate: 4e11 });
        assert_eq!(choice(&prices, BY_MPI), by_nccl);
        prices.set(MPI_PRICE, Price { latency: 1e-5, rate: 4e11 });
        assert_eq!(choice(&prices, BY_MPI), Choice::FasterByMpi(version(), identities));
        assert_eq!(choice(&prices, Besides::default()), by_nccl);
        let two = [process("a,b", Some("2.28.9")), process("c", Some("2.28.9"))];
        let of_two = choose(&two, &[2, 1], Besides { prices: Some(&prices), ..BY_MPI });
        assert!(matches!(of_two, Choice::Nccl(..)), "prices say nothing of GPUs of one process");
    }

    #[test]
    fn mpi_takes_the_place_of_an_nccl_that_is_missing_or_another_one() {
        let missing = [process("a", Some("2.28.9")), process("b", None)];
        let reason = || String::from("rank 1 has no NCCL");
        assert_eq!(choose(&missing, &[1, 1], BY_MPI), Choice::Mpi(reason()));
        assert_eq!(choose(&missing, &[1, 1], Besides::default()), Choice::Host(reason()));
        let other = [process("a", Some("2.28.9")), process("b", Some("2.27.0"))];
        assert!(matches!(choose(&other, &[1, 1], BY_MPI), Choice::Mpi(_)));
    }

    #[test]
    fn a_member_without_a_gpu_leaves_all_on_the_host() {
        let one = [process("a", Some("2.28.9")), Facts::new()];
        assert_eq!(choose(&one, &[1, 1], ASKED), Choice::NoGpus);
    }

    #[test]
    fn a_path_by_nccl_names_devices_that_share_a_gpu() {
        let gpus = |names: [&str; 4]| names.map(Arc::from);
        assert_eq!(first_shared(&gpus(["a", "b", "c", "d"])), None);
        assert_eq!(first_shared(&gpus(["a", "b", "c", "b"])), Some([1, 3]));
        assert_eq!(first_shared(&gpus(["a", "a", "b", "b"])), Some([0, 1]));
        assert_eq!(first_shared(&[]), None);
        let path = |shared| GpuPath::Nccl { version: String::from("2.28.9"), shared }.to_string();
        assert_eq!(path(None), "by NCCL 2.28.9");
        let expected = "through the host's memory in groups in which devices share a GPU, as \
                        devices 1 and 3 do, and by NCCL 2.28.9 in others";
        assert_eq!(path(Some([1, 3])), expected);
    }
}
