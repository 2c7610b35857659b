//! The variables of each launcher.

use std::fmt;

/// A program that starts the processes of another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launcher {
    /// `phalanx run`, or our variables set by hand.
    Phalanx,
    /// `jsrun` of LSF.
    Jsrun,
    /// `mpirun` of Open MPI, and processes that PRRTE starts for it.
    OpenMpi,
    /// `mpirun_rsh` of MVAPICH.
    Mvapich,
    /// Hydra: `mpiexec` of MPICH and of Intel MPI; Cray's PALS.
    Hydra,
    /// `flux run`.
    Flux,
    /// `srun`.
    Slurm,
    /// `pbsdsh` of PBS and TORQUE.
    Pbs,
    /// Any other launcher that speaks PMI.
    Pmi,
}

impl Launcher {
    /// The name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Launcher::Phalanx => "phalanx run",
            Launcher::Jsrun => "jsrun (LSF)",
            Launcher::OpenMpi => "mpirun (Open MPI)",
            Launcher::Mvapich => "mpirun_rsh (MVAPICH)",
            Launcher::Hydra => "mpiexec (Hydra: MPICH or Intel MPI)",
            Launcher::Flux => "flux run",
            Launcher::Slurm => "srun (SLURM)",
            Launcher::Pbs => "pbsdsh (PBS)",
            Launcher::Pmi => "a launcher with PMI",
        }
    }

    /// Whether its processes belong, or may belong, to an MPI job.
    pub const fn starts_mpi(self) -> bool {
        !matches!(self, Launcher::Phalanx | Launcher::Pbs)
    }
}

impl fmt::Display for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The variables of a launcher. If several names are listed, the first that is set counts.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The launcher.
    pub launcher: Launcher,
    /// The launcher is recognised if one variable of each of these groups is set.
    pub marks: &'static [&'static [&'static str]],
    /// The rank of the process.
    pub rank: &'static [&'static str],
    /// The number of processes.
    pub size: &'static [&'static str],
    /// The rank of the process among those of its host.
    pub local_rank: &'static [&'static str],
    /// The number of processes on its host.
    pub local_size: &'static [&'static str],
    /// The number of processes on each host, as SLURM writes it: `2(x3),1`.
    pub tasks_per_node: &'static [&'static str],
    /// The number of the host.
    pub node: &'static [&'static str],
    /// The number of hosts.
    pub node_count: &'static [&'static str],
    /// The hosts.
    pub nodes: &'static [&'static str],
    /// A file with a line for each process: its host.
    pub node_file: &'static [&'static str],
    /// The identity of this job among all of the user's: all variables that are set.
    pub job: &'static [&'static str],
    /// The number of GPUs that each process was given for itself.
    pub own_gpus: &'static [&'static str],
    /// The cores of this host that the job was given.
    pub cores: &'static [&'static str],
}

const NONE: Row = Row {
    launcher: Launcher::Pmi,
    marks: &[],
    rank: &[],
    size: &[],
    local_rank: &[],
    local_size: &[],
    tasks_per_node: &[],
    node: &[],
    node_count: &[],
    nodes: &[],
    node_file: &[],
    job: &[],
    own_gpus: &[],
    cores: &[],
};

/// The launchers in order of precedence. A launcher that another one starts precedes it: `mpirun`
/// finds SLURM's variables in a SLURM job, and its processes have both.
pub const LAUNCHERS: &[Row] = &[
    Row {
        launcher: Launcher::Phalanx,
        marks: &[&["PHALANX_SIZE"], &["PHALANX_RANK"]],
        rank: &["PHALANX_RANK"],
        size: &["PHALANX_SIZE"],
        local_rank: &["PHALANX_LOCAL_RANK"],
        local_size: &["PHALANX_LOCAL_SIZE"],
        ..NONE
    },
    Row {
        launcher: Launcher::Jsrun,
        marks: &[&["JSM_NAMESPACE_RANK"], &["JSM_NAMESPACE_SIZE"]],
        rank: &["JSM_NAMESPACE_RANK"],
        size: &["JSM_NAMESPACE_SIZE"],
        local_rank: &["JSM_NAMESPACE_LOCAL_RANK"],
        local_size: &["JSM_NAMESPACE_LOCAL_SIZE"],
        job: &["LSB_JOBID", "PMIX_NAMESPACE"],
        ..NONE
    },
    Row {
        launcher: Launcher::OpenMpi,
        marks: &[&["OMPI_COMM_WORLD_RANK"], &["OMPI_COMM_WORLD_SIZE"]],
        rank: &["OMPI_COMM_WORLD_RANK"],
        size: &["OMPI_COMM_WORLD_SIZE"],
        local_rank: &["OMPI_COMM_WORLD_LOCAL_RANK"],
        local_size: &["OMPI_COMM_WORLD_LOCAL_SIZE"],
        job: &["PMIX_NAMESPACE"],
        ..NONE
    },
    Row {
        launcher: Launcher::Mvapich,
        marks: &[&["MV2_COMM_WORLD_RANK"], &["MV2_COMM_WORLD_SIZE"]],
        rank: &["MV2_COMM_WORLD_RANK"],
        size: &["MV2_COMM_WORLD_SIZE"],
        local_rank: &["MV2_COMM_WORLD_LOCAL_RANK"],
        local_size: &["MV2_COMM_WORLD_LOCAL_SIZE"],
        job: &["MPIRUN_ID"],
        ..NONE
    },
    Row {
        launcher: Launcher::Hydra,
        // SLURM's and Flux's plugins set the first two as well.
        marks: &[
            &["PMI_RANK"],
            &["PMI_SIZE"],
            &["MPI_LOCALRANKID", "PMI_LOCAL_RANK", "PALS_LOCAL_RANKID", "HYDI_CONTROL_FD"],
        ],
        rank: &["PMI_RANK"],
        size: &["PMI_SIZE"],
        local_rank: &["MPI_LOCALRANKID", "PMI_LOCAL_RANK", "PALS_LOCAL_RANKID"],
        local_size: &["MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"],
        job: &["PALS_APID"],
        ..NONE
    },
    Row {
        launcher: Launcher::Flux,
        marks: &[&["FLUX_TASK_RANK"], &["FLUX_JOB_SIZE"]],
        rank: &["FLUX_TASK_RANK"],
        size: &["FLUX_JOB_SIZE"],
        local_rank: &["FLUX_TASK_LOCAL_ID"],
        node_count: &["FLUX_JOB_NNODES"],
        job: &["FLUX_JOB_ID"],
        ..NONE
    },
    Row {
        launcher: Launcher::Slurm,
        // The shell of `salloc` and the script of `sbatch` have the other variables, but no step.
        marks: &[&["SLURM_STEP_ID", "SLURM_STEPID"], &["SLURM_PROCID"]],
        rank: &["SLURM_PROCID"],
        // The second may be the job's size, and its steps may have other sizes.
        size: &["SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_NPROCS"],
        local_rank: &["SLURM_LOCALID"],
        tasks_per_node: &["SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"],
        node: &["SLURM_NODEID"],
        node_count: &["SLURM_STEP_NUM_NODES"],
        nodes: &["SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"],
        job: &["SLURM_JOB_ID", "SLURM_STEP_ID"],
        own_gpus: &["SLURM_GPUS_PER_TASK"],
        cores: &["SLURM_CPUS_ON_NODE"],
        ..NONE
    },
    Row {
        launcher: Launcher::Pbs,
        marks: &[&["PBS_JOBID"], &["PBS_TASKNUM"], &["PBS_VNODENUM"], &["PBS_NP"]],
        rank: &["PBS_VNODENUM"],
        size: &["PBS_NP"],
        node: &["PBS_NODENUM"],
        node_count: &["PBS_NUM_NODES"],
        node_file: &["PBS_NODEFILE"],
        job: &["PBS_JOBID"],
        ..NONE
    },
    Row {
        launcher: Launcher::Pmi,
        marks: &[&["PMI_RANK"], &["PMI_SIZE"]],
        rank: &["PMI_RANK"],
        size: &["PMI_SIZE"],
        ..NONE
    },
];
