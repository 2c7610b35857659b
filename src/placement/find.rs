//! Finds the launcher that started this process, and the process's place among the others.

use super::nodes::{node_list, tasks_per_node};
use super::table::{LAUNCHERS, Launcher, Row};

/// SLURM numbers its steps from 0. Numbers from here on denote the job's script, the shell of
/// `salloc` and the like, which are not processes of a program.
const FIRST_SPECIAL_STEP: u64 = 0xffff_fff0;

/// The place of this process among those that a launcher has started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The launcher.
    pub launcher: Launcher,
    /// The rank of this process, less than `size`.
    pub rank: usize,
    /// The number of processes.
    pub size: usize,
    /// The rank of this process among those of its host, if known.
    pub local_rank: Option<usize>,
    /// The number of processes on its host, if known.
    pub local_size: Option<usize>,
    /// The hosts, in the order of their processes, if the launcher lists them.
    pub nodes: Vec<String>,
    /// The identity of this job among all of the user's, if there is one.
    pub job: Option<String>,
    /// Whether this process sees GPUs that no other process sees.
    pub has_own_gpus: bool,
    /// The cores of this host that the job was given, if the launcher states them.
    pub cores: Option<usize>,
}

/// A launcher's variable without a usable value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{launcher} has set {variable} to `{value}`, which is no {expected}")]
pub struct LauncherFlaw {
    /// The launcher.
    pub launcher: Launcher,
    /// The variable.
    pub variable: &'static str,
    /// Its value.
    pub value: String,
    /// The required form of the value.
    pub expected: &'static str,
}

/// Reads the variables of one launcher.
struct Variables<'a> {
    launcher: Launcher,
    lookup: &'a dyn Fn(&str) -> Option<String>,
}

impl Variables<'_> {
    /// The first of these variables that is set.
    fn text(&self, names: &[&'static str]) -> Option<(&'static str, String)> {
        let mut found = names.iter().filter_map(|name| Some((*name, (self.lookup)(name)?)));
        found.find(|pair| !pair.1.trim().is_empty())
    }

    fn flaw(&self, variable: &'static str, value: String, expected: &'static str) -> LauncherFlaw {
        LauncherFlaw { launcher: self.launcher, variable, value, expected }
    }

    /// The value of a variable, which must be a number if it is set.
    fn number(&self, names: &[&'static str]) -> Result<Option<usize>, LauncherFlaw> {
        let Some((name, value)) = self.text(names) else { return Ok(None) };
        match value.trim().parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(self.flaw(name, value, "whole number from 0")),
        }
    }
}

impl Placement {
    /// The place of the process whose variables `lookup` returns. `read` returns the text of a file
    /// that a variable names. `None` if no launcher has started the process.
    ///
    /// The launcher is the first of [`LAUNCHERS`] whose marks are set.
    pub fn find(
        lookup: &dyn Fn(&str) -> Option<String>,
        read: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<Placement>, LauncherFlaw> {
        for row in LAUNCHERS {
            let variables = Variables { launcher: row.launcher, lookup };
            if row.marks.iter().all(|group| variables.text(group).is_some())
                && row.is_part(&variables)
            {
                return row.placement(&variables, read).map(Some);
            }
        }
        Ok(None)
    }

    /// Whether all processes are on one host, if known.
    pub fn is_one_host(&self) -> Option<bool> {
        match (self.local_size, self.nodes.len()) {
            (Some(local_size), _) => Some(local_size == self.size),
            (None, 0) => None,
            (None, nodes) => Some(nodes == 1),
        }
    }

    /// The rank of this process among those of its host, and their number; (0, 1) if unknown.
    pub fn local(&self) -> (usize, usize) {
        match (self.local_rank, self.local_size) {
            (Some(rank), Some(size)) => (rank, size),
            _ => (0, 1),
        }
    }
}

impl Row {
    /// Whether a process with the launcher's marks belongs to a program that it started.
    fn is_part(&self, variables: &Variables<'_>) -> bool {
        let number =
            |names| variables.text(names).and_then(|(_, text)| text.trim().parse::<u64>().ok());
        match self.launcher {
            // A value that is not a number is an error later.
            Launcher::Slurm => {
                number(&["SLURM_STEP_ID", "SLURM_STEPID"]).is_none_or(|it| it < FIRST_SPECIAL_STEP)
            }
            // The first task of a job is its script.
            Launcher::Pbs => number(&["PBS_TASKNUM"]).is_none_or(|task| task > 1),
            _ => true,
        }
    }

    fn placement(
        &self,
        variables: &Variables<'_>,
        read: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Placement, LauncherFlaw> {
        let rank = variables.number(self.rank)?.unwrap_or(0);
        let size = variables.number(self.size)?.unwrap_or(1);
        if rank >= size {
            let (name, value) = variables.text(self.rank).unwrap_or(("its rank", rank.to_string()));
            return Err(variables.flaw(name, value, "number below the number of its processes"));
        }
        let mut nodes = Vec::new();
        if let Some((name, list)) = variables.text(self.nodes) {
            let expected = "list of hosts";
            nodes = node_list(&list).ok_or_else(|| variables.flaw(name, list, expected))?;
        } else if let Some((_, file)) = variables.text(self.node_file) {
            // One line for each process. A file that cannot be read is ignored.
            let lines = read(&file).unwrap_or_default();
            nodes = lines.split_whitespace().map(str::to_owned).collect();
        }
        let node = variables.number(self.node)?;
        let node_count = variables.number(self.node_count)?;
        let local_rank = variables.number(self.local_rank)?;
        let mut local_size = variables.number(self.local_size)?;
        if local_size.is_none()
            && let Some((name, list)) = variables.text(self.tasks_per_node)
        {
            let counts = tasks_per_node(&list)
                .ok_or_else(|| variables.flaw(name, list, "list of numbers of tasks"))?;
            // The list may be that of the whole job.
            let fits = counts.iter().sum::<usize>() == size;
            local_size = node.and_then(|node| counts.get(node)).copied().filter(|_| fits);
        }
        let (mut local_rank, mut local_size) = (local_rank, local_size);
        if self.launcher == Launcher::Pbs && nodes.len() == size {
            let same = |other: &&String| **other == nodes[rank];
            local_rank = Some(nodes[..rank].iter().filter(same).count());
            local_size = Some(nodes.iter().filter(same).count());
        }
        let mut seen = std::collections::HashSet::new();
        nodes.retain(|node| seen.insert(node.clone()));
        if node_count == Some(1) || nodes.len() == 1 {
            local_size = local_size.or(Some(size));
            local_rank = local_rank.or(Some(rank));
        }
        // Hosts have equal numbers of processes unless stated otherwise.
        if local_rank.is_some() && local_size.is_none() {
            let hosts = node_count.filter(|hosts| *hosts > 0 && size % hosts == 0);
            local_size = hosts.map(|hosts| size / hosts);
        }
        // A local rank that is not below the local size is unusable.
        if let (Some(number), Some(count)) = (local_rank, local_size)
            && number >= count
        {
            (local_rank, local_size) = (None, None);
        }
        let job: Vec<String> =
            self.job.iter().filter_map(|name| variables.text(&[name])).map(|pair| pair.1).collect();
        let has_own_gpus = variables.text(self.own_gpus).is_some();
        let cores = variables.number(self.cores).unwrap_or(None).filter(|cores| *cores > 0);
        Ok(Placement {
            launcher: self.launcher,
            rank,
            size,
            local_rank,
            local_size,
            nodes,
            job: (!job.is_empty()).then(|| job.join(".")),
            has_own_gpus,
            cores,
        })
    }
}
