//! The variables of each launcher.

use std::fmt;

/// What starts the processes of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launcher {
    /// `phalanx run`, or variables of ours set by hand.
    Phalanx,
    /// `jsrun` of LSF.
    Jsrun,
    /// `mpirun` of Open MPI, and what PRRTE starts for it.
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
    /// Any other that speaks PMI.
    Pmi,
}

impl Launcher {
    /// What it is called in messages.
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

    /// Whether its processes are, or may be, those of an MPI job.
    pub const fn starts_mpi(self) -> bool {
        !matches!(self, Launcher::Phalanx | Launcher::Pbs)
    }
}

impl fmt::Display for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The variables of a launcher. Of several names the first that is set counts.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Whose they are.
    pub launcher: Launcher,
    /// Of each of these groups one must be set, for the launcher to be the one.
    pub marks: &'static [&'static [&'static str]],
    /// The number of the process.
    pub rank: &'static [&'static str],
    /// How many processes there are.
    pub size: &'static [&'static str],
    /// The number of the process among those of its host.
    pub local_rank: &'static [&'static str],
    /// How many there are on its host.
    pub local_size: &'static [&'static str],
    /// How many there are on each host, as SLURM writes it: `2(x3),1`.
    pub tasks_per_node: &'static [&'static str],
    /// The number of the host.
    pub node: &'static [&'static str],
    /// How many hosts there are.
    pub node_count: &'static [&'static str],
    /// The hosts.
    pub nodes: &'static [&'static str],
    /// A file with a line for each process: its host.
    pub node_file: &'static [&'static str],
    /// What tells this job from all others of the user; all that are set.
    pub job: &'static [&'static str],
    /// How many GPUs each process was given for itself.
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

/// The launchers, the one that counts first. One that was started by another stands before it:
/// `mpirun` finds SLURM's variables in a job of SLURM's, and its processes have both.
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
        // The shell of `salloc` and the script of `sbatch` have the other variables, and no step.
        marks: &[&["SLURM_STEP_ID", "SLURM_STEPID"], &["SLURM_PROCID"]],
        rank: &["SLURM_PROCID"],
        // The second may be that of the job, which has steps of other sizes.
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
