//! Maximum flows.

/// The methods of maximum flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowMethod {
    /// Blocking flows in layers.
    Dinic,
    /// Shortest augmenting paths.
    EdmondsKarp,
}

/// A network of capacities in which each edge has its reverse, of capacity 0 if it was not given.
/// The columns of each row rise.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// For each row, the number of its first entry; then the number of entries.
    pub starts: Vec<usize>,
    /// The node to which each edge leads.
    pub columns: Vec<u32>,
    /// What each edge can carry.
    pub capacities: Vec<i64>,
    /// The entry of the reverse of each edge.
    reverses: Vec<u32>,
}

impl Network {
    /// The network of edges, with the columns of each row rising.
    pub fn new(starts: &[usize], columns: &[u32], capacities: &[i64]) -> Network {
        let nodes = starts.len().saturating_sub(1);
        // The rows of each column, in order: the columns of the reverse edges.
        let mut turned = vec![Vec::new(); nodes];
        for row in 0..nodes {
            for &column in &columns[starts[row]..starts[row + 1]] {
                turned[column as usize].push(row as u32);
            }
        }
        let mut made = Network {
            starts: vec![0],
            columns: Vec::new(),
            capacities: Vec::new(),
            reverses: Vec::new(),
        };
        for row in 0..nodes {
            let mut backward = turned[row].iter().copied().peekable();
            for entry in starts[row]..starts[row + 1] {
                let column = columns[entry];
                while let Some(before) = backward.next_if(|&before| before < column) {
                    made.push(before, 0);
                }
                backward.next_if_eq(&column);
                made.push(column, capacities[entry]);
            }
            backward.for_each(|column| made.push(column, 0));
            made.starts.push(made.columns.len());
        }
        // Rows are visited in order, so the entries of a column are met in the order of its row.
        let mut next = made.starts.clone();
        made.reverses = vec![0; made.columns.len()];
        for row in 0..nodes {
            for entry in made.starts[row]..made.starts[row + 1] {
                let column = made.columns[entry] as usize;
                made.reverses[entry] = next[column] as u32;
                next[column] += 1;
            }
        }
        made
    }

    fn push(&mut self, column: u32, capacity: i64) {
        self.columns.push(column);
        self.capacities.push(capacity);
    }

    /// Sends a flow along a path of entries.
    fn send(&mut self, path: &[usize], amount: i64) {
        for &entry in path {
            self.capacities[entry] -= amount;
            self.capacities[self.reverses[entry] as usize] += amount;
        }
    }

    fn least_capacity(&self, path: &[usize]) -> i64 {
        path.iter().map(|&entry| self.capacities[entry]).min().unwrap_or(0)
    }
}

/// A maximum flow.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// What reaches the sink.
    pub value: i64,
    /// The flow of each entry of the network; that of a reverse edge is the negative.
    pub flows: Vec<i64>,
}

/// A flow of the largest value from one node to another one.
///
/// Sources: E. A. Dinic, "Algorithm for solution of a problem of maximum flow in a network with
/// power estimation" (1970); J. Edmonds, R. M. Karp, "Theoretical improvements in algorithmic
/// efficiency for network flow problems" (1972).
pub fn maximum_flow(network: &Network, source: usize, sink: usize, method: FlowMethod) -> Flow {
    let mut rest = network.clone();
    match method {
        FlowMethod::Dinic => while block_layers(&mut rest, source, sink) {},
        FlowMethod::EdmondsKarp => while augment_shortest(&mut rest, source, sink) {},
    }
    let capacities = network.capacities.iter().zip(&rest.capacities);
    let flows: Vec<i64> = capacities.map(|(before, after)| before - after).collect();
    let value = flows[network.starts[source]..network.starts[source + 1]].iter().sum();
    Flow { value, flows }
}

/// Sends flows along shortest paths until none of their length is left. Returns whether there was
/// one.
fn block_layers(network: &mut Network, source: usize, sink: usize) -> bool {
    let nodes = network.starts.len() - 1;
    let mut layers = vec![u32::MAX; nodes];
    layers[source] = 0;
    let mut order = vec![source];
    let mut at = 0;
    while at < order.len() && layers[sink] == u32::MAX {
        let node = order[at];
        at += 1;
        for entry in network.starts[node]..network.starts[node + 1] {
            let next = network.columns[entry] as usize;
            if network.capacities[entry] > 0 && layers[next] == u32::MAX {
                layers[next] = layers[node] + 1;
                order.push(next);
            }
        }
    }
    if layers[sink] == u32::MAX {
        return false;
    }
    // The first entry of each node that may still lead to the sink.
    let mut open = network.starts.clone();
    let mut path: Vec<usize> = Vec::new();
    loop {
        let node = path.last().map_or(source, |&entry| network.columns[entry] as usize);
        if node == sink {
            let amount = network.least_capacity(&path);
            network.send(&path, amount);
            // Back to the first edge that is full.
            let full = path.iter().position(|&entry| network.capacities[entry] == 0);
            path.truncate(full.unwrap_or(0));
        } else if open[node] == network.starts[node + 1] {
            let Some(entry) = path.pop() else { return true };
            let before = network.columns[network.reverses[entry] as usize] as usize;
            open[before] += 1;
        } else {
            let entry = open[node];
            let next = network.columns[entry] as usize;
            // The layers of nodes that were not reached are `u32::MAX`.
            if network.capacities[entry] > 0 && layers[next] == layers[node] + 1 {
                path.push(entry);
            } else {
                open[node] += 1;
            }
        }
    }
}

/// Sends a flow along one shortest path. Returns whether there was one.
fn augment_shortest(network: &mut Network, source: usize, sink: usize) -> bool {
    let nodes = network.starts.len() - 1;
    let mut by_entry = vec![usize::MAX; nodes];
    let mut order = vec![source];
    let mut at = 0;
    while at < order.len() && by_entry[sink] == usize::MAX {
        let node = order[at];
        at += 1;
        for entry in network.starts[node]..network.starts[node + 1] {
            let next = network.columns[entry] as usize;
            let is_new = next != source && by_entry[next] == usize::MAX;
            if is_new && network.capacities[entry] > 0 {
                by_entry[next] = entry;
                order.push(next);
            }
        }
    }
    if by_entry[sink] == usize::MAX {
        return false;
    }
    let (mut path, mut node) = (Vec::new(), sink);
    while node != source {
        let entry = by_entry[node];
        path.push(entry);
        node = network.columns[network.reverses[entry] as usize] as usize;
    }
    let amount = network.least_capacity(&path);
    network.send(&path, amount);
    true
}

#[cfg(test)]
mod tests {
    use super::super::graph::tests::random;
    use super::{FlowMethod, Network, maximum_flow};

    fn network(nodes: usize, density: usize, seed: u64) -> Network {
        let mut below = random(seed);
        let (mut starts, mut columns, mut capacities) = (vec![0], vec![], vec![]);
        for _ in 0..nodes {
            for column in 0..nodes {
                if below(density) == 0 {
                    columns.push(column as u32);
                    capacities.push(below(9) as i64);
                }
            }
            starts.push(columns.len());
        }
        Network::new(&starts, &columns, &capacities)
    }

    /// The least capacity of all cuts between two nodes.
    fn least_cut(network: &Network, source: usize, sink: usize) -> i64 {
        let nodes = network.starts.len() - 1;
        let sides = (0..1_usize << nodes).filter(|side| side >> source & 1 == 1);
        let cut = |side: usize| {
            let mut sum = 0;
            for row in (0..nodes).filter(|row| side >> row & 1 == 1) {
                for entry in network.starts[row]..network.starts[row + 1] {
                    let is_across = side >> network.columns[entry] & 1 == 0;
                    sum += if is_across { network.capacities[entry] } else { 0 };
                }
            }
            sum
        };
        sides.filter(|side| side >> sink & 1 == 0).map(cut).min().unwrap()
    }

    #[test]
    fn flows_equal_least_cuts() {
        for seed in 0..60 {
            let made = network(8, 2 + seed as usize % 3, seed);
            for method in [FlowMethod::Dinic, FlowMethod::EdmondsKarp] {
                let found = maximum_flow(&made, 0, 7, method);
                assert_eq!(found.value, least_cut(&made, 0, 7), "{seed}");
                for row in 0..8 {
                    let entries = made.starts[row]..made.starts[row + 1];
                    let balance: i64 = found.flows[entries.clone()].iter().sum();
                    let expected = [found.value, 0, 0, 0, 0, 0, 0, -found.value][row];
                    assert_eq!(balance, expected);
                    for entry in entries {
                        assert!(found.flows[entry] <= made.capacities[entry]);
                        let back = made.reverses[entry] as usize;
                        assert_eq!(found.flows[back], -found.flows[entry]);
                    }
                }
            }
        }
    }
}
