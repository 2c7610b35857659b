//! Tests how the environments of `tests/launchers/` are interpreted.

use super::{Launcher, LauncherFlaw, Placement};
use std::collections::BTreeMap;
use std::path::Path;

/// The variables of a file.
fn recorded(name: &str) -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/launchers");
    let text = std::fs::read_to_string(folder.join(format!("{name}.env"))).unwrap();
    let pairs = text.lines().map(|line| line.split_once('=').unwrap());
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn find(variables: &BTreeMap<String, String>) -> Result<Option<Placement>, LauncherFlaw> {
    let read = |path: &str| {
        let is_node_file = path == "/var/spool/torque/aux/991.server";
        is_node_file.then(|| String::from("n1\nn1\nn2\nn2\n"))
    };
    Placement::find(&|name| variables.get(name).cloned(), &read)
}

/// Launcher, rank, size, and local rank and size.
type Known = (Launcher, usize, usize, Option<(usize, usize)>);

fn known(name: &str) -> Option<Known> {
    let placement = find(&recorded(name)).unwrap()?;
    let local = placement.local_rank.zip(placement.local_size);
    Some((placement.launcher, placement.rank, placement.size, local))
}

#[test]
fn every_launcher_is_recognised() {
    for (name, expected) in [
        ("open_mpi", (Launcher::OpenMpi, 1, 2, Some((1, 2)))),
        ("mpich", (Launcher::Hydra, 1, 2, Some((1, 2)))),
        // Started by SLURM's srun, which has left the variables of Hydra's own processes.
        ("intel_mpi", (Launcher::Hydra, 3, 4, Some((1, 2)))),
        ("mvapich", (Launcher::Mvapich, 3, 4, Some((1, 2)))),
        ("slurm_step", (Launcher::Slurm, 4, 5, Some((1, 2)))),
        ("slurm_pmix", (Launcher::Slurm, 2, 4, Some((0, 2)))),
        ("slurm_one_host", (Launcher::Slurm, 0, 4, Some((0, 4)))),
        ("slurm_pmi2", (Launcher::Slurm, 1, 2, Some((1, 2)))),
        ("pbs_task", (Launcher::Pbs, 3, 4, Some((1, 2)))),
        ("lsf_jsrun", (Launcher::Jsrun, 7, 12, Some((1, 6)))),
        ("flux", (Launcher::Flux, 6, 8, Some((2, 4)))),
        ("phalanx_run", (Launcher::Phalanx, 1, 3, Some((1, 3)))),
    ] {
        assert_eq!(known(name), Some(expected), "{name}");
    }
}

#[test]
fn a_job_without_a_step_is_one_process() {
    for name in [
        "none",
        "salloc_shell",
        "sbatch_script",
        "salloc_interactive_step",
        "pbs_script",
        "lsf_script",
    ] {
        assert_eq!(known(name), None, "{name}");
    }
}

#[test]
fn hosts_jobs_and_devices_are_read() {
    let slurm = find(&recorded("slurm_step")).unwrap().unwrap();
    assert_eq!(slurm.nodes, ["gpu-a1-x", "gpu-a2-x", "node01"]);
    assert_eq!(slurm.job.as_deref(), Some("4242.3"));
    assert_eq!((slurm.cores, slurm.has_own_gpus), (Some(16), true));
    assert_eq!(slurm.is_one_host(), Some(false));
    let one_host = find(&recorded("slurm_pmi2")).unwrap().unwrap();
    assert_eq!((one_host.is_one_host(), one_host.has_own_gpus), (Some(true), false));
    assert_eq!(find(&recorded("pbs_task")).unwrap().unwrap().nodes, ["n1", "n2"]);
    let open_mpi = find(&recorded("open_mpi")).unwrap().unwrap();
    assert_eq!(open_mpi.is_one_host(), Some(true));
    assert!(open_mpi.job.is_some());
    assert_eq!(find(&recorded("mpich")).unwrap().unwrap().job, None);
}

#[test]
fn unknown_properties_are_left_open() {
    let mut variables = recorded("slurm_step");
    for name in ["SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE", "SLURM_STEP_NODELIST"] {
        variables.remove(name);
    }
    variables.remove("SLURM_JOB_NODELIST");
    variables.remove("SLURM_NODELIST");
    let placement = find(&variables).unwrap().unwrap();
    assert_eq!((placement.local_size, placement.is_one_host()), (None, None));
    assert_eq!(placement.local(), (0, 1));
    let bare = BTreeMap::from([("PMI_RANK", "1"), ("PMI_SIZE", "2")]);
    let bare = bare.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    let placement = find(&bare).unwrap().unwrap();
    assert_eq!((placement.launcher, placement.rank), (Launcher::Pmi, 1));
}

#[test]
fn values_that_are_none_are_errors_that_name_them() {
    for (name, variable, value, expected) in [
        ("open_mpi", "OMPI_COMM_WORLD_RANK", "one", "no whole number from 0"),
        ("open_mpi", "OMPI_COMM_WORLD_RANK", "2", "no number below the number of its processes"),
        ("open_mpi", "OMPI_COMM_WORLD_SIZE", "-1", "no whole number from 0"),
        ("slurm_step", "SLURM_STEP_NODELIST", "n[1-", "no list of hosts"),
        ("slurm_step", "SLURM_STEP_TASKS_PER_NODE", "2(x", "no list of numbers of tasks"),
        ("slurm_step", "SLURM_LOCALID", "x", "no whole number from 0"),
    ] {
        let mut variables = recorded(name);
        variables.insert(variable.into(), value.into());
        let error = find(&variables).unwrap_err().to_string();
        let told = format!("{variable} to `{value}`, which is {expected}");
        assert!(error.contains(&told), "{error}");
    }
}
