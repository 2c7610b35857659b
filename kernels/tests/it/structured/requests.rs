//! Positions dealt to their owners, against loops over single positions.

use super::evaluate::gpu;
use super::value::Random;
use phalanx_device::{Buffer, CpuDevice, Device};
use phalanx_kernels::loaded_late;
use phalanx_kernels::structured::Block;
use phalanx_kernels::structured::requests::{Purpose, Requests};
use phalanx_ops::DType;
use std::sync::Arc;

/// Blocks of an axis among members, some of which have no elements.
fn starts(members: usize, extent: u64, random: &mut Random) -> Vec<u64> {
    let mut inner: Vec<u64> = (1..members).map(|_| random.below(extent + 1)).collect();
    inner.sort_unstable();
    [&[0][..], &inner, &[extent]].concat()
}

/// The place of a position in the axis, the member that owns it, and the start of its block.
fn owner(requests: &Requests, position: i64) -> Option<(usize, u64)> {
    let extent = requests.starts[requests.members()] as i64;
    let at = match requests.purpose {
        Purpose::Read { .. } => {
            let position = if position < 0 { position + extent } else { position };
            position.clamp(0, extent - 1)
        }
        Purpose::Write => Some(position).filter(|at| (0..extent).contains(at))?,
    } as u64;
    let owner = requests.starts.partition_point(|start| *start <= at) - 1;
    assert!((requests.starts[owner]..requests.starts[owner + 1]).contains(&at));
    Some((owner, at))
}

fn numbers(bytes: &[u8], item: usize) -> Vec<i64> {
    let number = |bytes: &[u8]| match bytes.try_into() {
        Ok(word) => i64::from_ne_bytes(word),
        Err(_) => i64::from(i32::from_ne_bytes(bytes.try_into().expect("four bytes"))),
    };
    bytes.chunks_exact(item).map(number).collect()
}

fn read(buffer: &Buffer, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    if len > 0 {
        buffer.read(0, &mut bytes);
    }
    bytes
}

/// What a member must have after a round: the requests to each member, and the slots.
fn dealt(requests: &Requests, positions: &[i64], first: usize) -> (Vec<Vec<i64>>, Vec<i64>) {
    let members = requests.members();
    let mut of_member = vec![Vec::new(); members];
    let mut places = Vec::new();
    for (number, &position) in positions.iter().enumerate() {
        places.push(owner(requests, position).map(|(owner, at)| {
            let block = requests.starts[owner + 1] - requests.starts[owner];
            let mut local = at - requests.starts[owner];
            if let Some([rows, inner]) = requests.lines {
                let at = first + number;
                local = ((at / (rows * inner)) as u64 * block + local) * inner as u64
                    + (at % inner) as u64;
            }
            let is_own = requests.purpose == Purpose::Read { own: owner };
            let slot = of_member[owner].len();
            if !is_own {
                of_member[owner].push(local as i64);
            }
            (owner, is_own, slot, local as i64)
        }));
    }
    let before: Vec<usize> = (0..members)
        .map(|member| of_member[..member].iter().map(Vec::len).sum::<usize>())
        .collect();
    let none = if requests.is_wide { i64::MIN } else { i32::MIN.into() };
    let slots = places.into_iter().map(|place| match place {
        None => none,
        Some((_, true, _, local)) => !local,
        Some((owner, false, slot, _)) => (before[owner] + slot) as i64,
    });
    let slots = slots.collect();
    (of_member, slots)
}

fn check(requests: &Requests, random: &mut Random, device: &Arc<dyn Device>) {
    let extent = requests.starts[requests.members()];
    let next = |random: &mut Random| match random.below(20) {
        0 => i64::MIN,
        1 => i64::MAX,
        2 => -1,
        3 => extent as i64,
        _ => random.below(extent) as i64,
    };
    let positions: Vec<i64> = (0..requests.count).map(|_| next(random)).collect();
    let bytes: Vec<u8> = positions.iter().flat_map(|position| position.to_ne_bytes()).collect();
    let buffer = device.upload(&bytes).expect("positions");
    let shape = [positions.len()];
    let block = Block { buffer: &buffer, dtype: DType::I64, shape: &shape, origin: &[0] };
    let (item, row, bytes) = (requests.item(), requests.row(), requests.bytes);
    for needed in Requests::missing(requests.is_wide, bytes, device) {
        needed.load(device).expect("the kernels are compiled");
    }
    let late = loaded_late();
    let allocate = |len: usize| device.clone().allocate(len).expect("a small buffer");
    let table: Vec<u8> = (0..extent as usize * row).map(|at| (at * 7 + at / 251) as u8).collect();
    let all = device.upload(&table).expect("a table");
    let to = allocate(requests.count * row);
    let room = allocate(requests.room());
    let all_dealt = requests.deal(&block, &room.whole(), device).expect("dealing");
    for round in 0..requests.rounds() {
        let first = round * requests.of_round;
        let count = requests.of_round.min(requests.count - first);
        let own = &positions[first..first + count];
        let (of_member, should_slots) = dealt(requests, own, first);
        let asked: Vec<i64> = of_member.concat();
        let ends: Vec<usize> = all_dealt.of_round(round).to_vec();
        let lengths: Vec<usize> = ends.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(lengths, of_member.iter().map(Vec::len).collect::<Vec<_>>(), "{requests:?}");
        let (sent, slots) = (allocate(asked.len() * item), allocate(count * item));
        let written = [&sent.whole(), &slots.whole()];
        requests.write((&all_dealt, round), &block, written, device).expect("requests");
        let is = numbers(&read(&sent, asked.len() * item), item);
        assert_eq!(is, asked, "{requests:?}");
        let is = numbers(&read(&slots, count * item), item);
        assert_eq!(is, should_slots, "{requests:?}");
        if requests.purpose == Purpose::Write {
            let values: Vec<u8> = (0..requests.count * bytes).map(|at| at as u8).collect();
            let given = device.upload(&values).expect("values");
            let carried = allocate(asked.len() * bytes);
            let moved = [&given.whole(), &carried.whole()];
            requests.carry(round, &slots.whole(), moved, device).expect("values");
            let mut should = vec![0; asked.len() * bytes];
            for (number, &slot) in should_slots.iter().enumerate() {
                if let Ok(slot) = usize::try_from(slot) {
                    let value = &values[(first + number) * bytes..][..bytes];
                    should[slot * bytes..][..bytes].copy_from_slice(value);
                }
            }
            assert_eq!(read(&carried, should.len()), should, "{requests:?}");
        } else if requests.lines.is_none() {
            // All members share a table here, so a request is made one of the whole axis.
            let rows = of_member.iter().zip(&requests.starts);
            let rows = rows.flat_map(|(asked, start)| asked.iter().map(|row| row + *start as i64));
            let words: Vec<u8> = match requests.is_wide {
                true => rows.flat_map(i64::to_ne_bytes).collect(),
                false => rows.flat_map(|row| (row as i32).to_ne_bytes()).collect(),
            };
            let arrived = device.upload(&words).expect("requests");
            let answers = allocate(asked.len() * row);
            let slices = [&all.whole(), &answers.whole()];
            let arrived = (&arrived.whole(), asked.len());
            requests.answer(extent as usize, arrived, slices, device).expect("answers");
            let Purpose::Read { own } = requests.purpose else { unreachable!() };
            let outer = requests.outer;
            let block = (requests.starts[own + 1] - requests.starts[own]) as usize;
            let start = requests.starts[own] as usize;
            let part = (0..outer).flat_map(|stretch| {
                let from = (stretch * extent as usize + start) * bytes;
                table[from..from + block * bytes].to_vec()
            });
            let part = device.upload(&part.collect::<Vec<u8>>()).expect("a block");
            let from = [&part.whole(), &answers.whole(), &to.whole()];
            requests.place((block, round), &slots.whole(), from, device).expect("rows");
        }
    }
    assert_eq!(loaded_late(), late, "{requests:?} had not been loaded");
    if matches!(requests.purpose, Purpose::Read { .. }) && requests.lines.is_none() {
        let mut should = vec![0; requests.count * row];
        for stretch in 0..requests.outer {
            for (number, &position) in positions.iter().enumerate() {
                let (_, at) = owner(requests, position).expect("an owner");
                let from = &table[(stretch * extent as usize + at as usize) * bytes..][..bytes];
                let place = (stretch * requests.count + number) * bytes;
                should[place..place + bytes].copy_from_slice(from);
            }
        }
        assert_eq!(read(&to, should.len()), should, "{requests:?}");
    }
}

fn check_all(device: &Arc<dyn Device>) {
    let mut random = Random(5);
    for members in [1, 2, 3, 8, 300, 1100] {
        for (count, of_round) in [(0, 1), (1, 1), (100, 33), (40_000, 40_000), (70_000, 30_001)] {
            for bytes in [1, 2, 4, 8, 16, 3, 24] {
                let extent = 1 + random.below(3 * members as u64);
                let starts = starts(members, extent, &mut random);
                let own = random.below(members as u64) as usize;
                let outer = 1 + random.below(2) as usize;
                let is_wide = random.below(2) == 0;
                let requests = Requests {
                    starts,
                    purpose: Purpose::Read { own },
                    lines: None,
                    count,
                    of_round,
                    is_wide,
                    outer,
                    bytes,
                };
                check(&requests, &mut random, device);
                // Two stretches of lines, three side by side.
                let rows = count / 6;
                let lines = (rows > 0).then_some([rows, 3]);
                let count = if rows > 0 { 6 * rows } else { count };
                let along = Requests { lines, count, outer: 1, ..requests };
                check(&along, &mut random, device);
                let write = Requests { purpose: Purpose::Write, is_wide: true, ..along };
                check(&write, &mut random, device);
            }
        }
    }
}

#[test]
fn positions_are_dealt_to_their_owners() {
    for threads in [1, 3] {
        let devices = CpuDevice::all(1, threads, None, None).expect("a device");
        let device: Arc<dyn Device> = devices[0].clone();
        check_all(&device);
    }
}

#[test]
fn gpus_deal_like_cpus() {
    if let Some(device) = gpu() {
        check_all(device);
    }
}
