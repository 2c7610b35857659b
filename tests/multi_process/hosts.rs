//! Two hosts, as network namespaces with a cable between them.

use crate::absence;
use crate::world::{Ended, World, assert_soon};
use std::process::{Command, Stdio};
use std::time::Duration;

trials![
    two_hosts_compute_together,
    a_rank_killed_on_another_host_is_named,
    a_host_that_vanishes_is_an_error_on_the_other,
];

/// A port that is free in every new namespace.
const PORT: u16 = 47_001;

/// How soon all ranks end when one has vanished: a promise to users, not a measure of the machine.
const PROMISE: Duration = Duration::from_secs(5);

/// Two namespaces that reach each other at two addresses, or why they cannot be made.
struct Hosts {
    names: [String; 2],
    addresses: [String; 2],
    cables: [String; 2],
}

impl Hosts {
    /// `number` distinguishes hosts of tests that run at the same time.
    fn new(number: u32) -> Result<Hosts, String> {
        let own = std::process::id();
        let hosts = Hosts {
            names: [0, 1].map(|host| format!("phalanx-{own}-{number}-{host}")),
            addresses: [1, 2].map(|host| format!("10.199.{number}.{host}")),
            cables: [0, 1].map(|host| format!("px{}n{number}e{host}", own % 100_000)),
        };
        let cables = &hosts.cables;
        for name in &hosts.names {
            ip(&["netns", "add", name])?;
        }
        ip(&["link", "add", &cables[0], "type", "veth", "peer", "name", &cables[1]])?;
        for host in 0..2 {
            let (name, cable) = (&hosts.names[host], &hosts.cables[host]);
            ip(&["link", "set", cable, "netns", name])?;
            ip(&[
                "-n",
                name,
                "addr",
                "add",
                &format!("{}/24", hosts.addresses[host]),
                "dev",
                cable,
            ])?;
            ip(&["-n", name, "link", "set", cable, "up"])?;
        }
        Ok(hosts)
    }

    /// A world of one rank on each host.
    fn world(&self, program: &str, arguments: &[&str]) -> World {
        let mut world = World::of(2, program, arguments);
        for rank in 0..2 {
            world = world.before(rank, &["ip", "netns", "exec", &self.names[rank]]);
            world = world.set_on(rank, "PHALANX_BIND", &self.addresses[rank]);
        }
        world.set("PHALANX_ADDRESS", format!("{}:{PORT}", self.addresses[0]))
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for name in &self.names {
            // A namespace that was not made need not be removed; the cable is removed with its
            // namespace.
            let _ = ip(&["netns", "del", name]);
        }
    }
}

fn ip(arguments: &[&str]) -> Result<(), String> {
    let output = Command::new("ip")
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "ip {}: {}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr).trim_end()
    ))
}

/// The hosts, or `None` with a line that gives the reason why the test is skipped.
fn hosts(number: u32) -> Option<Hosts> {
    Hosts::new(number)
        .map_err(|reason| {
            println!("{reason}");
            absence::lacks("namespaces", "network namespaces");
        })
        .ok()
}

fn two_hosts_compute_together() {
    let Some(hosts) = hosts(1) else { return };
    let ended = hosts.world("generated", &["5", "96", "32", "1024", "keep"]).run();
    ended.iter().for_each(Ended::assert_well);
    let here = World::of(2, "generated", &["5", "96", "32", "1024", "keep"]).run();
    for rank in &ended {
        assert_eq!(rank.values("bits"), here[0].values("bits"));
    }
}

fn a_rank_killed_on_another_host_is_named() {
    let Some(hosts) = hosts(2) else { return };
    let mut running = hosts.world("go_on", &["split"]).start();
    running.wait_for(0, "turn 20");
    running.kill(1);
    let ended = running.end();
    assert!(ended[0].error("PX060").starts_with("rank 1 died"), "{ended:#?}");
}

fn a_host_that_vanishes_is_an_error_on_the_other() {
    let Some(first) = hosts(3) else { return };
    let mut first = Some(first);
    assert_soon("a host vanishes", PROMISE, || {
        vanishes(&first.take().or_else(|| hosts(4)).expect("there were hosts before"))
    });
}

/// How long after a host has vanished both ranks have ended.
fn vanishes(hosts: &Hosts) -> Duration {
    let mut running = hosts.world("go_on", &["split"]).start();
    running.wait_for(0, "turn 20");
    // No rank sends a closing message: the ends of the connection just receive nothing any more.
    ip(&["-n", &hosts.names[1], "link", "set", &hosts.cables[1], "down"])
        .expect("the cable is ours");
    let cut = running.elapsed();
    let ended = running.end();
    for (rank, other) in [(0, 1), (1, 0)] {
        let error = ended[rank].error("PX060");
        assert!(error.starts_with(&format!("rank {other} died")), "{error}");
    }
    let last = ended.iter().map(|rank| rank.after).max().expect("there are ranks");
    let after = last - cut;
    println!("both ranks ended {} ms after the cable between them was cut", after.as_millis());
    after
}
