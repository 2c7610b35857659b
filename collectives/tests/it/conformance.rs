//! The table of reductions: operation x dtype x monoid x size x members, on every plane.

use crate::fixture::{Fixture, PLANES, bytes, connected, local, on_gpus, place, slice};
use crate::reference::{check, item};
use phalanx_collectives::Communicator;
use phalanx_ops::{DType, Monoid};

const MEMBERS: &[usize] = &[1, 2, 3, 4, 8];
/// Items of short data: nothing, one, fewer than members, an odd number.
const SHORT: &[usize] = &[0, 1, 5, 131];
/// Bytes of data that travels around the ring, in parts of different lengths.
const LONG: usize = 70_000;

#[derive(Clone, Copy, Debug)]
enum Reduction {
    AllReduce,
    Reduce,
    ReduceScatter,
}

/// Uneven counts in items that sum up to `items`; some are 0.
fn uneven(items: usize, members: usize) -> Vec<usize> {
    let mut counts: Vec<usize> =
        (0..members).map(|member| items / members / (1 + member % 3)).collect();
    counts[members / 2] = 0;
    counts[members - 1] = 0;
    counts[members - 1] = items - counts.iter().sum::<usize>();
    counts
}

fn reduction(
    member: &dyn Communicator,
    reduction: Reduction,
    dtype: DType,
    monoid: Monoid,
    items: usize,
) -> Vec<u8> {
    let (size, rank, item_size) = (member.size(), member.rank(), monoid.item_size(dtype));
    let own: Vec<u8> =
        (0..items).flat_map(|position| item(rank, position, dtype, monoid)).collect();
    let data = slice(&own);
    let root = items % size;
    let (result, start) = match reduction {
        Reduction::AllReduce => {
            member.all_reduce(&data, dtype, monoid).unwrap().wait().unwrap();
            (bytes(&data), 0)
        }
        Reduction::Reduce => {
            member.reduce(&data, dtype, monoid, root).unwrap().wait().unwrap();
            (if rank == root { bytes(&data) } else { Vec::new() }, 0)
        }
        Reduction::ReduceScatter => {
            let counts = uneven(items, size);
            let result = place(counts[rank] * item_size);
            let in_bytes: Vec<usize> = counts.iter().map(|count| count * item_size).collect();
            member
                .reduce_scatter_v(&data, &result, &in_bytes, dtype, monoid)
                .unwrap()
                .wait()
                .unwrap();
            assert_eq!(bytes(&data), own, "reduce_scatter changed the sent data");
            (bytes(&result), counts[..rank].iter().sum())
        }
    };
    for (position, actual) in result.chunks_exact(item_size).enumerate() {
        check(actual, size, start + position, dtype, monoid);
    }
    result
}

/// Every accepted pair, in the order of the tables.
fn pairs() -> impl Iterator<Item = (DType, Monoid)> {
    let all =
        DType::ALL.iter().flat_map(|dtype| Monoid::ALL.iter().map(move |monoid| (*dtype, *monoid)));
    all.filter(|(dtype, monoid)| monoid.accepts(*dtype))
}

#[test]
fn long_reductions_travel_in_many_pieces() {
    for (_, plane) in PLANES {
        for (members, items) in [(3, 1 << 20), (4, 300_001), (8, 70_000)] {
            let fixture = plane(members);
            fixture.run(|member| {
                let (size, rank) = (member.size(), member.rank());
                let value = |rank: usize, at: usize| (at * (rank + 3) + rank) as i64;
                let own: Vec<u8> =
                    (0..items).flat_map(|at| value(rank, at).to_ne_bytes()).collect();
                let sum = |at: usize| (0..size).map(|rank| value(rank, at)).sum::<i64>();
                let holds = |bytes: &[u8], start: usize| {
                    let sums = (start..).map(|at| sum(at).to_ne_bytes());
                    bytes.chunks_exact(8).zip(sums).all(|(one, sum)| *one == sum)
                };
                let counts = uneven(items, size);
                let in_bytes: Vec<usize> = counts.iter().map(|count| count * 8).collect();
                let (data, part) = (slice(&own), place(in_bytes[rank]));
                let start = counts[..rank].iter().sum();
                let (dtype, monoid) = (DType::I64, Monoid::Add);
                let event = member.reduce_scatter_v(&data, &part, &in_bytes, dtype, monoid);
                event.unwrap().wait().unwrap();
                assert!(holds(&bytes(&part), start), "part {rank} of {items}");
                member.all_reduce(&data, dtype, monoid).unwrap().wait().unwrap();
                assert!(holds(&bytes(&data), 0), "{items} items on {rank}");
            });
            fixture.shutdown();
        }
    }
}

#[test]
fn reductions_combine_every_dtype_with_every_monoid_on_every_plane() {
    for (name, plane) in PLANES {
        for &members in MEMBERS {
            let fixture = plane(members);
            fixture.run(|member| {
                for (number, (dtype, monoid)) in pairs().enumerate() {
                    let long = LONG / monoid.item_size(dtype) + 3;
                    for kind in [Reduction::AllReduce, Reduction::Reduce, Reduction::ReduceScatter]
                    {
                        // Over the network every pair meets each size at some number of members.
                        let share = if members > 4 { 14 } else { 4 };
                        let sizes = SHORT.iter().copied().enumerate();
                        for (at, items) in sizes {
                            if *name == "local" || (at + number + members).is_multiple_of(share) {
                                reduction(member, kind, dtype, monoid, items);
                            }
                        }
                        // A long one takes most of its time in the reference.
                        let share = if members > 4 { 20 } else { 10 };
                        if (number + members + kind as usize).is_multiple_of(share) {
                            reduction(member, kind, dtype, monoid, long);
                        }
                    }
                }
            });
            fixture.shutdown();
        }
    }
    for ((_, plane), members) in on_gpus() {
        let fixture = plane(members);
        fixture.run(|member| {
            for (number, (dtype, monoid)) in pairs().enumerate() {
                let long = LONG / monoid.item_size(dtype) + 3;
                for kind in [Reduction::AllReduce, Reduction::Reduce, Reduction::ReduceScatter] {
                    SHORT.iter().for_each(|&items| {
                        reduction(member, kind, dtype, monoid, items);
                    });
                    if (number + kind as usize).is_multiple_of(3) {
                        reduction(member, kind, dtype, monoid, long);
                    }
                }
            }
        });
        fixture.shutdown();
    }
}

/// NaN, and numbers next to it.
#[test]
fn extremes_on_gpus_keep_nan() {
    for ((_, plane), members) in on_gpus() {
        let fixture = plane(members);
        fixture.run(|member| {
            let own = if member.rank() == 1 { [f32::NAN, 3.0] } else { [1.0, 2.0] };
            let data = slice(&own.map(f32::to_ne_bytes).concat());
            member.all_reduce(&data, DType::F32, Monoid::Max).unwrap().wait().unwrap();
            let result: Vec<f32> = bytes(&data)
                .chunks_exact(4)
                .map(|item| f32::from_ne_bytes(item.try_into().unwrap()))
                .collect();
            assert!(result[0].is_nan() && result[1] == 3.0, "{result:?}");
        });
        fixture.shutdown();
    }
}

#[test]
fn sums_on_gpus_have_the_same_bits_on_every_member_and_every_time() {
    for ((_, plane), members) in on_gpus() {
        for items in [9, 20_011] {
            let fixture = plane(members);
            let is_at_once = fixture.is_at_once();
            let first = rough_sums(&fixture, items);
            drop(fixture);
            if is_at_once {
                // Short data is combined in the order of the host.
                let hosts = rough_sums(&local(members), items);
                assert!(first[0].1[0] == hosts[0].1[0], "{items} items differ from the host's");
            }
            assert!(first.iter().all(|(_, sums)| sums[0] == first[0].1[0]), "members differ");
            assert!(rough_sums(&plane(members), items) == first, "another time");
        }
    }
}

/// Numbers whose sum reveals the order of additions.
fn rough(rank: usize, items: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(rank as u64 + 1);
    let mut number = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let scale = 10f64.powi((state >> 59) as i32 - 16);
        ((state >> 20) as f64 / 1e13 - 0.5) * scale
    };
    (0..items).flat_map(|_| number().to_ne_bytes()).collect()
}

/// The bits of sums of rough numbers, for the members of this process.
fn rough_sums(fixture: &Fixture, items: usize) -> Vec<(usize, [Vec<u8>; 3])> {
    let sums = fixture.run(|member| {
        let data = || slice(&rough(member.rank(), items));
        let (all, rooted) = (data(), data());
        member.all_reduce(&all, DType::F64, Monoid::Add).unwrap().wait().unwrap();
        let root = member.size() - 1;
        member.reduce(&rooted, DType::F64, Monoid::Add, root).unwrap().wait().unwrap();
        let rooted = if member.rank() == root { bytes(&rooted) } else { Vec::new() };
        let counts: Vec<usize> =
            uneven(items, member.size()).iter().map(|count| 8 * count).collect();
        let part = place(counts[member.rank()]);
        let event = member.reduce_scatter_v(&data(), &part, &counts, DType::F64, Monoid::Add);
        event.unwrap().wait().unwrap();
        (member.rank(), [bytes(&all), rooted, bytes(&part)])
    });
    fixture.shutdown();
    sums
}

#[test]
fn sums_have_the_same_bits_on_every_member_every_plane_and_every_time() {
    for members in [2, 3, 5, 8] {
        for items in [9, 1000, 20_011] {
            let expected = rough_sums(&local(members), items);
            let all = &expected[0].1[0];
            assert_eq!(&expected[members - 1].1[1], all, "reduce differs from all_reduce");
            for (_, sums) in &expected {
                assert_eq!(&sums[0], all, "members differ");
            }
            for (name, plane) in PLANES {
                for sums in rough_sums(&plane(members), items) {
                    assert!(sums == expected[sums.0], "{name} differs from local");
                }
            }
        }
    }
    let expected = rough_sums(&local(6), 20_011);
    for sums in rough_sums(&connected(&[3, 1, 2]), 20_011) {
        assert!(sums == expected[sums.0]);
    }
}

#[test]
fn reductions_work_in_place() {
    let gpus = on_gpus().into_iter().filter(|(_, members)| *members == 4);
    for (_, plane) in PLANES.iter().copied().chain(gpus.map(|(plane, _)| plane)) {
        let fixture = plane(4);
        fixture.run(|member| {
            for items in [4, 40_000] {
                let own: Vec<u8> = (0..items)
                    .flat_map(|at| item(member.rank(), at, DType::I64, Monoid::Add))
                    .collect();
                let data = slice(&own);
                let part = data.slice(member.rank() * data.len / 4, data.len / 4);
                member
                    .reduce_scatter(&data, &part, DType::I64, Monoid::Add)
                    .unwrap()
                    .wait()
                    .unwrap();
                member.all_gather(&part, &data).unwrap().wait().unwrap();
                for (at, actual) in bytes(&data).chunks_exact(8).enumerate() {
                    check(actual, 4, at, DType::I64, Monoid::Add);
                }
            }
        });
        fixture.shutdown();
    }
}
