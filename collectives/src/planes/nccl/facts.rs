//! The facts about a world's GPUs: the GPU of each member, and NCCL's version in each process.

use crate::facts::{Facts, value};
use phalanx_device::Device;
use phalanx_device::cuda::{CudaDevice, nccl_version};
use std::sync::Arc;

/// The name of the fact with the GPUs of a process.
const GPUS: &str = "gpus";
/// The name of the fact with the version of NCCL.
const NCCL: &str = "nccl";

/// The facts of a process about its devices; empty unless all are GPUs. Local.
pub fn device_facts(devices: &[Arc<dyn Device>]) -> Facts {
    let gpus: Option<Vec<&CudaDevice>> =
        devices.iter().map(|device| device.as_any().downcast_ref::<CudaDevice>()).collect();
    let gpus = gpus.filter(|gpus| !gpus.is_empty());
    let identities = |gpus: &Vec<&CudaDevice>| {
        let all: Result<Vec<String>, _> = gpus.iter().map(|gpu| gpu.identity()).collect();
        all.ok()
    };
    let Some((gpus, names)) = gpus.and_then(|gpus| identities(&gpus).map(|names| (gpus, names)))
    else {
        return Facts::new();
    };
    let mut facts = vec![(String::from(GPUS), names.join(","))];
    match nccl_version(gpus[0].options()) {
        Ok(version) => facts.push((String::from(NCCL), version)),
        Err(error) => tracing::debug!(%error, "GPUs exchange over the host"),
    }
    facts
}

/// The GPU of every member of the world, from the processes' facts, if all have one.
pub(crate) fn gpus(facts: &[Facts], device_counts: &[usize]) -> Option<Vec<Arc<str>>> {
    let mut all: Vec<Arc<str>> = Vec::new();
    for (facts, count) in facts.iter().zip(device_counts) {
        let before = all.len();
        all.extend(value(facts, GPUS)?.split(',').map(Arc::from));
        if all.len() - before != *count {
            return None;
        }
    }
    Some(all).filter(|all| !all.is_empty())
}

/// The version of NCCL that all processes have; the error says why there is none.
pub(crate) fn common_nccl(facts: &[Facts]) -> Result<&str, String> {
    let mut common = None;
    for (rank, facts) in facts.iter().enumerate() {
        let own = value(facts, NCCL).ok_or_else(|| format!("rank {rank} has no NCCL"))?;
        let first = *common.get_or_insert(own);
        if own != first {
            return Err(format!("rank {rank} has NCCL {own}, and rank 0 has {first}"));
        }
    }
    common.ok_or_else(|| String::from("no rank has NCCL"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(gpus: &str, nccl: Option<&str>) -> Facts {
        let fact = |(name, value): (&str, &str)| (String::from(name), String::from(value));
        [Some((GPUS, gpus)), nccl.map(|version| (NCCL, version))]
            .into_iter()
            .flatten()
            .map(fact)
            .collect()
    }

    #[test]
    fn all_processes_must_have_gpus_and_the_same_library() {
        let both = [facts("a,b", Some("2.28.9")), facts("c", Some("2.28.9"))];
        let names = gpus(&both, &[2, 1]).expect("all have facts");
        assert_eq!(names.iter().map(|name| &**name).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(common_nccl(&both), Ok("2.28.9"));
        assert!(gpus(&both, &[1, 1]).is_none(), "another number of devices");
        assert!(gpus(&[both[0].clone(), Facts::new()], &[2, 1]).is_none());
        let without = [both[0].clone(), facts("c", None)];
        assert!(gpus(&without, &[2, 1]).is_some());
        assert_eq!(common_nccl(&without), Err(String::from("rank 1 has no NCCL")));
        let other = [both[0].clone(), facts("c", Some("2.27.0"))];
        let reason = "rank 1 has NCCL 2.27.0, and rank 0 has 2.28.9";
        assert_eq!(common_nccl(&other), Err(String::from(reason)));
        assert!(gpus(&[], &[]).is_none() && common_nccl(&[]).is_err());
    }
}
