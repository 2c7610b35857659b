//! Binds each of several processes of a host to the processors of a NUMA node.

use crate::config::Config;
use crate::placement::processors;
use phalanx_device::cuda::CudaDevice;
use std::sync::Arc;

/// The properties of a host that the choice of processors depends on.
struct Host {
    /// The processors of each NUMA node.
    nodes: Vec<Vec<usize>>,
    /// The processors on which this process may run.
    allowed: Vec<usize>,
    /// The number of all processors.
    count: usize,
}

/// Why a process is not bound.
type Reason = &'static str;

/// Binds this thread, and those that it starts later, to the processors of a NUMA node, if the
/// process is one of several of its host. Returns what was done, or why nothing was.
pub(crate) fn bind(config: &Config, gpus: &[Arc<CudaDevice>]) -> String {
    let chosen = choice(config, gpus);
    let bound = chosen.map(|processors| (set(&processors), processors));
    match bound {
        Ok((Ok(()), processors)) => format!("bound to processors {}", spelled(&processors)),
        Ok((Err(error), _)) => format!("not bound: {error}"),
        Err(reason) => format!("not bound: {reason}"),
    }
}

/// A description of the effect that [`bind`] would have.
pub(crate) fn would_bind(config: &Config, gpus: &[Arc<CudaDevice>]) -> String {
    match choice(config, gpus) {
        Ok(processors) => format!("a session binds to processors {}", spelled(&processors)),
        Err(reason) => format!("a session binds to none: {reason}"),
    }
}

fn choice(config: &Config, gpus: &[Arc<CudaDevice>]) -> Result<Vec<usize>, Reason> {
    if !config.bind_cpu {
        return Err("PHALANX_BIND_CPU is 0");
    }
    let local = config.placement.as_ref().map_or((0, 1), |placement| placement.local());
    let nodes: Vec<Option<usize>> = gpus.iter().map(|gpu| numa_node(gpu)).collect();
    chosen(local, &nodes, &host().ok_or("the system does not report its processors")?)
}

/// The processors for process `local.0` of the `local.1` processes of a host. `gpus` holds the NUMA
/// nodes of its GPUs, if known.
fn chosen(
    local: (usize, usize),
    gpus: &[Option<usize>],
    host: &Host,
) -> Result<Vec<usize>, Reason> {
    let (rank, processes) = local;
    let nodes = host.nodes.len();
    let node = match gpus.first() {
        _ if processes < 2 => return Err("it is the only process of its host"),
        _ if host.allowed.len() < host.count => return Err("it is bound already"),
        _ if nodes < 2 => return Err("the host has one NUMA node"),
        Some(first) => {
            let first = first.ok_or("the node of its GPU is not known")?;
            if gpus.iter().any(|gpu| *gpu != Some(first)) {
                return Err("its GPUs are at several NUMA nodes");
            }
            first
        }
        None if processes < nodes => return Err("it has several NUMA nodes to itself"),
        None => rank * nodes / processes,
    };
    let all = host.nodes.get(node).ok_or("the node of its GPU is not known")?;
    let processors: Vec<usize> =
        all.iter().copied().filter(|processor| host.allowed.contains(processor)).collect();
    if processors.is_empty() { Err("the node has no processors") } else { Ok(processors) }
}

/// The NUMA node of a GPU.
fn numa_node(gpu: &CudaDevice) -> Option<usize> {
    let attributes = gpu.attributes();
    let of = |name| attributes.iter().find(|pair| pair.0 == name).map(|pair| pair.1);
    let (domain, bus, device) = (of("PciDomainId")?, of("PciBusId")?, of("PciDeviceId")?);
    let file = format!("/sys/bus/pci/devices/{domain:04x}:{bus:02x}:{device:02x}.0/numa_node");
    // A GPU without a node reports -1, which does not parse.
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}

#[cfg(target_os = "linux")]
fn host() -> Option<Host> {
    let text = |name: &str| std::fs::read_to_string(format!("/sys/devices/system/{name}")).ok();
    let mut nodes = Vec::new();
    for node in processors(&text("node/online")?)? {
        // A node that has only memory has no processors.
        let list = text(&format!("node/node{node}/cpulist"))?;
        nodes.resize(node + 1, Vec::new());
        nodes[node] = processors(&list).unwrap_or_default();
    }
    let count = processors(&text("cpu/online")?)?.len();
    let set = rustix::thread::sched_getaffinity(None).ok()?;
    let allowed = (0..rustix::thread::CpuSet::MAX_CPU).filter(|processor| set.is_set(*processor));
    Some(Host { nodes, allowed: allowed.collect(), count })
}

#[cfg(target_os = "linux")]
fn set(processors: &[usize]) -> std::io::Result<()> {
    let mut set = rustix::thread::CpuSet::new();
    processors.iter().for_each(|processor| set.set(*processor));
    Ok(rustix::thread::sched_setaffinity(None, &set)?)
}

#[cfg(not(target_os = "linux"))]
fn host() -> Option<Host> {
    None
}

#[cfg(not(target_os = "linux"))]
fn set(_processors: &[usize]) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Formats processors as the system writes them.
fn spelled(processors: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &processor in processors {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == processor => *last = processor,
            _ => ranges.push((processor, processor)),
        }
    }
    let ranges = ranges.iter().map(|(first, last)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    });
    ranges.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_keep_to_the_node_of_their_gpus_or_to_their_share() {
        let host = |allowed: usize| Host {
            nodes: vec![vec![0, 1, 4, 5], vec![2, 3, 6, 7]],
            allowed: (0..allowed).collect(),
            count: 8,
        };
        assert_eq!(chosen((0, 2), &[Some(1)], &host(8)), Ok(vec![2, 3, 6, 7]));
        assert_eq!(chosen((1, 4), &[], &host(8)), Ok(vec![0, 1, 4, 5]));
        assert_eq!(chosen((2, 4), &[], &host(8)), Ok(vec![2, 3, 6, 7]));
        for (local, gpus, allowed, reason) in [
            ((0, 1), &[Some(1)][..], 8, "only process"),
            ((0, 2), &[Some(1)], 4, "bound already"),
            ((0, 2), &[Some(0), Some(1)], 8, "several NUMA nodes"),
            ((0, 2), &[None], 8, "not known"),
            ((0, 2), &[Some(5)], 8, "not known"),
        ] {
            assert!(chosen(local, gpus, &host(allowed)).unwrap_err().contains(reason), "{reason}");
        }
        let one = Host { nodes: vec![vec![0, 1]], allowed: vec![0, 1], count: 2 };
        assert!(chosen((0, 2), &[], &one).unwrap_err().contains("one NUMA node"));
    }

    #[test]
    fn lists_of_processors_are_read_and_written() {
        assert_eq!(processors("0-3,8\n"), Some(vec![0, 1, 2, 3, 8]));
        assert_eq!(spelled(&[0, 1, 2, 3, 8]), "0-3,8");
        for text in ["", "x", "3-1", "0-", "0-99999999999"] {
            assert_eq!(processors(text), None, "{text}");
        }
    }

    /// The thread of the test ends, so this binds nobody else.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_keeps_to_its_processors() {
        let first = host().expect("Linux reports it").allowed[0];
        let bound = std::thread::spawn(move || set(&[first]).map(|()| host().unwrap().allowed));
        assert_eq!(bound.join().unwrap().unwrap(), [first]);
    }
}
