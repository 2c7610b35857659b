//! Processes that meet, and processes that fail to.

use crate::fixture::{join_all, meetings};
use phalanx_collectives::{CollectiveError, Rendezvous, World};
use socket2::{Domain, Socket, Type};
use std::collections::VecDeque;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn setting(key: &str, value: &str) -> (String, String) {
    (key.into(), value.into())
}

fn codes(outcomes: &[Result<World, CollectiveError>]) -> Vec<&'static str> {
    outcomes
        .iter()
        .map(|outcome| outcome.as_ref().err().map_or("joined", |error| error.code()))
        .collect()
}

#[test]
fn all_ranks_know_the_same_about_each_other() {
    let mut ranks = meetings(4);
    for (rank, meeting) in ranks.iter_mut().enumerate() {
        meeting.local_devices = [2, 1, 3, 1][rank];
        meeting.agreement = vec![setting("version", "1"), setting("threads", "4")];
        meeting.facts = vec![setting("memory", &format!("{}", 100 + rank))];
    }
    // The order does not matter.
    ranks.reverse();
    let worlds: Vec<World> =
        join_all(ranks).into_iter().map(|world| world.unwrap()).rev().collect();
    for (rank, world) in worlds.iter().enumerate() {
        assert_eq!((world.rank(), world.size()), (rank, 4));
        assert_eq!(world.device_counts(), [2, 1, 3, 1]);
        assert_eq!(world.first_device(), [0, 2, 3, 6][rank]);
        assert_eq!(world.seed(), worlds[0].seed());
        let members: Vec<usize> =
            world.communicators().iter().map(|member| member.rank()).collect();
        let first = world.first_device();
        assert_eq!(members, (first..first + [2, 1, 3, 1][rank]).collect::<Vec<_>>());
        let memory: Vec<&str> = world.facts().iter().map(|facts| facts[0].1.as_str()).collect();
        assert_eq!(memory, ["100", "101", "102", "103"]);
    }
    std::thread::scope(|scope| {
        for world in &worlds {
            scope.spawn(|| world.shutdown());
        }
    });
}

#[test]
fn a_wrong_token_is_refused_and_all_ranks_name_the_missing_one() {
    let mut ranks = meetings(3);
    for meeting in &mut ranks {
        meeting.timeout = Duration::from_secs(5);
    }
    ranks[2].token = b"a guess".to_vec();
    let outcomes = join_all(ranks);
    assert_eq!(codes(&outcomes), ["PX066", "PX066", "PX064"]);
    for outcome in &outcomes[..2] {
        let Err(CollectiveError::RanksMissing { missing, size: 3, refused: 1, .. }) = outcome
        else {
            panic!("another error")
        };
        assert_eq!(missing, &[2]);
    }
}

#[test]
fn ranks_of_which_some_encrypt_all_end_with_the_reason() {
    let meet = |encrypted: [bool; 3]| {
        let mut ranks = meetings(3);
        for (meeting, is_encrypted) in ranks.iter_mut().zip(encrypted) {
            meeting.timeout = Duration::from_secs(10);
            meeting.is_encrypted = is_encrypted;
        }
        let outcomes = join_all(ranks);
        let alone = if encrypted[1] == encrypted[0] { 2 } else { 1 };
        let code = |rank| if rank == alone { "PX067" } else { "PX066" };
        assert_eq!(codes(&outcomes), [0, 1, 2].map(code), "{encrypted:?}");
        for outcome in outcomes {
            let error = outcome.err().unwrap();
            assert!(error.to_string().contains("PHALANX_TLS"), "{encrypted:?}: {error}");
        }
    };
    // At the same time, for each waits until the time is over.
    std::thread::scope(|scope| {
        for encrypted in [[true, false, true], [false, true, false], [true, true, false]] {
            scope.spawn(move || meet(encrypted));
        }
    });
}

#[test]
fn ranks_that_encrypt_learn_why_there_is_no_world() {
    let mut ranks = meetings(3);
    for (rank, meeting) in ranks.iter_mut().enumerate() {
        meeting.is_encrypted = true;
        meeting.agreement = vec![setting("version", if rank == 1 { "0.2.0" } else { "0.1.0" })];
    }
    for outcome in join_all(ranks) {
        let text = outcome.err().map(|error| error.to_string());
        assert_eq!(text.as_deref(), Some("version differs: 0.1.0 on rank 0, 0.2.0 on rank 1"));
    }
}

#[test]
fn a_rank_that_never_arrives_is_named_on_all_others() {
    let mut ranks = meetings(4);
    ranks.remove(2);
    for meeting in &mut ranks {
        meeting.timeout = Duration::from_secs(5);
    }
    for outcome in join_all(ranks) {
        let Err(CollectiveError::RanksMissing { missing, .. }) = outcome else {
            panic!("another error")
        };
        assert_eq!(missing, [2]);
    }
}

#[test]
fn a_port_in_use_and_an_absent_coordinator_are_errors() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let patience = Duration::from_millis(300);
    let join = |rank, address: &str| {
        let outcome = Rendezvous { timeout: patience, ..Rendezvous::new(rank, 2, address) }.join();
        outcome.err().unwrap()
    };
    let error = join(0, &address);
    assert_eq!(error.code(), "PX065");
    assert!(error.to_string().contains(&address));
    // The socket there sends nothing.
    assert_eq!(join(1, &address).code(), "PX067");
    drop(taken);
    assert_eq!(join(1, &address).code(), "PX067");
    assert_eq!(join(0, "nowhere").code(), "PX065");
}

#[test]
fn settings_that_differ_are_named_with_both_values_on_all_ranks() {
    let mut ranks = meetings(3);
    for (rank, meeting) in ranks.iter_mut().enumerate() {
        meeting.agreement = vec![setting("version", "1")];
        if rank == 2 {
            meeting.agreement.push(setting("soft_limit", "64"));
        }
    }
    for outcome in join_all(ranks) {
        let expected = CollectiveError::Disagreement {
            key: String::from("soft_limit"),
            first_rank: 0,
            first_value: String::from("(not set)"),
            second_rank: 2,
            second_value: String::from("64"),
        };
        assert_eq!(outcome.err(), Some(expected));
    }
}

#[test]
fn ranks_that_do_not_fit_are_refused() {
    let mut ranks = meetings(3);
    ranks[2].rank = 1;
    assert_eq!(codes(&join_all(ranks)), ["PX069"; 3]);
    let mut ranks = meetings(3);
    ranks[2].size = 4;
    let outcomes = join_all(ranks);
    assert!(codes(&outcomes)[..1] == ["PX068"] && codes(&outcomes)[2..] == ["PX068"]);
    assert_eq!(Rendezvous::new(2, 2, "127.0.0.1:1").join().err().unwrap().code(), "PX070");
    assert_eq!(World::local(0).err().unwrap().code(), "PX070");
}

#[test]
fn strangers_do_not_disturb_a_meeting() {
    let ranks = meetings(3);
    let address = ranks[0].address.clone();
    let silent = TcpStream::connect(&address).unwrap();
    let mut loud = TcpStream::connect(&address).unwrap();
    loud.write_all(&[b'x'; 4096]).unwrap();
    drop(TcpStream::connect(&address).unwrap());
    let worlds: Vec<World> = join_all(ranks).into_iter().map(|world| world.unwrap()).collect();
    std::thread::scope(|scope| {
        for world in &worlds {
            scope.spawn(|| {
                world.communicators()[0].barrier().unwrap();
                world.shutdown();
            });
        }
    });
    drop(silent);
}

/// More connections than half of the files that a process may open, renewed all the time.
#[test]
fn strangers_that_say_nothing_keep_no_rank_out() {
    let mut ranks = meetings(3);
    let address = ranks[0].address.clone();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut strangers = VecDeque::new();
            while !is_over.load(Ordering::Relaxed) {
                strangers.extend(TcpStream::connect(&address));
                if strangers.len() > 400 {
                    strangers.pop_front();
                }
                std::thread::sleep(Duration::from_micros(500));
            }
        });
        let last = ranks.pop().unwrap();
        let late = scope.spawn(|| {
            std::thread::sleep(Duration::from_secs(1));
            last.join()
        });
        let mut worlds = join_all(ranks);
        worlds.push(late.join().unwrap());
        is_over.store(true, Ordering::Relaxed);
        let worlds: Vec<World> = worlds.into_iter().map(|world| world.unwrap()).collect();
        let leave = |world: World| move || world.shutdown();
        let leaving: Vec<_> = worlds.into_iter().map(|world| scope.spawn(leave(world))).collect();
        leaving.into_iter().for_each(|leaving| leaving.join().unwrap());
    });
}

#[test]
fn no_process_shares_the_port_of_rank_0() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap();
    drop(free);
    let join = move |rank| Rendezvous::new(rank, 2, port.to_string()).join().unwrap();
    let rank_0 = std::thread::spawn(move || join(0));
    while TcpStream::connect(port).is_err() {
        std::thread::sleep(Duration::from_millis(1));
    }
    for everywhere in [false, true] {
        let host = if everywhere { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST };
        let other = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        other.set_reuse_address(true).unwrap();
        #[cfg(target_os = "linux")]
        other.set_reuse_port(true).unwrap();
        let bound = other.bind(&SocketAddr::from((host, port.port())).into());
        let listens = bound.and_then(|()| other.listen(1));
        assert!(listens.is_err(), "everywhere: {everywhere}");
    }
    // Rank 0 has listened there all the time, and still does.
    let worlds = [join(1), rank_0.join().unwrap()];
    std::thread::scope(|scope| {
        for world in &worlds {
            scope.spawn(|| world.shutdown());
        }
    });
}

/// The child process of the next test.
#[test]
fn child_counts_its_sockets_and_threads() {
    if std::env::var_os("PHALANX_TEST_CHILD_ALONE").is_none() {
        return;
    }
    let count = || {
        let open = std::fs::read_dir("/proc/self/fd").unwrap();
        let targets = open.filter_map(|entry| std::fs::read_link(entry.unwrap().path()).ok());
        let sockets = targets.filter(|target| {
            let target = target.to_string_lossy();
            target.starts_with("socket:") || target.contains("eventpoll")
        });
        (sockets.count(), std::fs::read_dir("/proc/self/task").unwrap().count())
    };
    let before = count();
    let worlds = [World::local(4).unwrap(), Rendezvous::new(0, 1, "127.0.0.1:1").join().unwrap()];
    worlds[1].communicators()[0].barrier().unwrap();
    assert_eq!(count(), before);
    println!("counted");
}

#[test]
fn a_world_of_one_process_has_no_socket_and_no_thread() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "rendezvous::child_counts_its_sockets_and_threads", "--nocapture"])
        .env("PHALANX_TEST_CHILD_ALONE", "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("counted"), "{text}");
}
