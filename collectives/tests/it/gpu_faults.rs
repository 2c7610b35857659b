//! Members on GPUs that fail or never arrive cause an error on all others, whose streams continue.

use crate::fixture::{Fixture, bytes, on_gpus, slice};
use phalanx_collectives::{CollectiveError, Communicator, Message};
use phalanx_device::Slice;
use phalanx_ops::{DType, Monoid};
use std::time::Duration;

fn gives_up(rank: usize) -> CollectiveError {
    let (error_code, message) = (String::from("test"), String::from("enough"));
    CollectiveError::Aborted { rank, error_code, message }
}

/// Lets the first member give up while the others are in the middle of their collective. Returns
/// whether this is the first.
fn leaves(fixture: &Fixture, member: &dyn Communicator) -> bool {
    let is_first = member.rank() == 0;
    if is_first {
        std::thread::sleep(Duration::from_millis(200));
        fixture.worlds[0].abort(gives_up(0));
    }
    is_first
}

#[test]
fn a_wait_on_a_gpu_for_a_member_that_gives_up_returns_its_error() {
    for ((name, plane), members) in on_gpus() {
        let fixture = plane(members);
        let process = |member: usize| if fixture.worlds.len() == 1 { 0 } else { member };
        let outcomes = fixture.run(|member| {
            member.prepare().unwrap();
            if leaves(&fixture, member) {
                return None;
            }
            let data = slice(&vec![0; 1 << 20]);
            let begun = member.all_reduce(&data, DType::F64, Monoid::Add);
            let waited = begun.and_then(|event| Ok(event.wait()?));
            // Reading waits until the stream continues.
            let mut bytes = vec![0; 8];
            data.buffer.read(0, &mut bytes);
            let later = member.all_reduce(&data, DType::F64, Monoid::Add).map(drop);
            Some((waited, later))
        });
        for (member, outcome) in outcomes.into_iter().enumerate() {
            let Some((_, later)) = outcome else { continue };
            assert_eq!(later, Err(gives_up(0)), "{name}, member {member}");
            assert_eq!(fixture.worlds[process(member)].failure(), Some(gives_up(0)));
        }
    }
}

#[test]
fn a_wait_in_a_kernel_for_an_absent_member_ends_with_its_error() {
    for ((name, plane), members) in on_gpus() {
        let fixture = plane(members);
        let outcomes = fixture.run(|member| {
            // All members load the kernel.
            let data = slice(&[0; 64]);
            member.all_reduce(&data, DType::F64, Monoid::Add).unwrap().wait().unwrap();
            if leaves(&fixture, member) {
                return None;
            }
            // Several kernels in the stream; some have not begun when the world ends.
            let begun = (0..5).map(|_| member.all_reduce(&data, DType::F64, Monoid::Add).map(drop));
            let begun: Vec<_> = begun.collect();
            let mut bytes = [0; 8];
            data.buffer.read(0, &mut bytes);
            let gathered = slice(&vec![0; 64 * members]);
            Some((begun, member.all_gather(&data, &gathered).map(drop)))
        });
        for (member, outcome) in outcomes.into_iter().enumerate() {
            let Some((begun, later)) = outcome else { continue };
            // Earlier enqueued work is complete; a member still enqueuing also gets the error.
            assert!(
                begun
                    .iter()
                    .all(|one| matches!(one, Ok(()) | Err(CollectiveError::Aborted { .. })))
            );
            assert_eq!(later, Err(gives_up(0)), "{name}, member {member}");
        }
        // Other groups of the same GPUs continue to work.
        drop(fixture);
        let fixture = plane(members);
        fixture.run(|member| {
            let data = slice(&1i64.to_ne_bytes());
            member.all_reduce(&data, DType::I64, Monoid::Add).unwrap().wait().unwrap();
            assert_eq!(bytes(&data), (members as i64).to_ne_bytes(), "{name}");
        });
        fixture.shutdown();
    }
}

#[test]
fn long_messages_to_an_absent_member_end_with_its_error() {
    for ((name, plane), members) in on_gpus() {
        let fixture = plane(members);
        let outcomes = fixture.run(|member| {
            member.prepare().unwrap();
            if leaves(&fixture, member) {
                return None;
            }
            let data = slice(&vec![7; 70 << 20]);
            let received = slice(&vec![0; 70 << 20]);
            let one = |data: &Slice| vec![Message { peer: 0, data: data.clone(), rows: None }];
            let begun = member.exchange(&one(&data), &one(&received));
            let waited = begun.and_then(|event| Ok(event.wait()?));
            // Reading waits until the stream continues.
            bytes(&received);
            Some((waited, member.exchange(&one(&data), &one(&received)).map(drop)))
        });
        for (member, outcome) in outcomes.into_iter().enumerate() {
            let Some((_, later)) = outcome else { continue };
            assert_eq!(later, Err(gives_up(0)), "{name}, member {member}");
        }
        // Other groups of the same GPUs carry long messages.
        drop(fixture);
        let fixture = plane(members);
        fixture.run(|member| {
            let own = vec![member.rank() as u8; 5 << 20];
            let (data, all) = (slice(&own), slice(&vec![0; members * own.len()]));
            let to = |peer: usize| Message { peer, data: data.clone(), rows: None };
            let from = |peer: usize| Message {
                peer,
                data: all.slice(peer * own.len(), own.len()),
                rows: None,
            };
            let sends: Vec<Message> = (0..members).map(to).collect();
            let receives: Vec<Message> = (0..members).map(from).collect();
            member.exchange(&sends, &receives).unwrap().wait().unwrap();
            let expected: Vec<u8> =
                (0..members).flat_map(|peer| vec![peer as u8; 5 << 20]).collect();
            assert!(bytes(&all) == expected, "{name}");
        });
        fixture.shutdown();
    }
}

#[test]
fn a_wait_for_a_connection_to_an_absent_member_is_an_error() {
    for ((name, plane), members) in on_gpus() {
        let fixture = plane(members);
        let outcomes = fixture.run(|member| {
            if member.rank() == members - 1 {
                std::thread::sleep(Duration::from_millis(300));
                fixture.worlds[0].abort(gives_up(0));
                return Err(gives_up(0));
            }
            member.prepare()
        });
        assert!(outcomes.iter().all(|outcome| *outcome == Err(gives_up(0))), "{name}");
    }
}
