//! A few positions at a time on the CPU: their places and owners, found by vector instructions.

use super::deal::{Purpose, Requests};
use crate::cpu::instructions::for_each_level;

/// The most positions of a stretch.
pub(super) const STRETCH: usize = 256;
/// The most members of which each is compared with all positions.
pub(super) const FEW: usize = 8;

/// The places and owners of a stretch of positions.
pub(super) struct Stretch {
    /// Places in the axis; after `localise`, requests.
    places: [u64; STRETCH],
    /// The number of members for positions that are left out.
    owners: [u32; STRETCH],
    len: usize,
}

impl Stretch {
    pub(super) fn new() -> Stretch {
        Stretch { places: [0; STRETCH], owners: [0; STRETCH], len: 0 }
    }

    /// Finds the places in the axis and the owners of positions, at most `STRETCH`.
    pub(super) fn find(&mut self, requests: &Requests, positions: &[i64]) {
        self.len = positions.len();
        let (places, owners) = (&mut self.places[..self.len], &mut self.owners[..self.len]);
        let (starts, members) = (&requests.starts[..], requests.members());
        let extent = starts[members];
        match requests.purpose {
            Purpose::Read { .. } => inside(positions, extent, places),
            Purpose::Write => as_they_are(positions, places),
        }
        if members <= FEW {
            let mut bounds = [u64::MAX; FEW];
            bounds[..members].copy_from_slice(&starts[1..]);
            return compare(places, &bounds, members as u32, owners);
        }
        for (owner, place) in owners.iter_mut().zip(places) {
            let last = starts.partition_point(|start| start <= place);
            *owner = last as u32 - 1;
        }
    }

    /// Adds the numbers of positions of each member, and of those that are left out.
    pub(super) fn count(&self, counts: &mut [u32]) {
        let owners = &self.owners[..self.len];
        if counts.len() <= FEW + 1 {
            for (member, count) in counts.iter_mut().enumerate() {
                add_equal(owners, member as u32, count);
            }
            return;
        }
        for owner in owners {
            counts[*owner as usize] += 1;
        }
    }

    /// Makes requests of the places; the positions follow the first `start` of the member.
    pub(super) fn localise(&mut self, requests: &Requests, start: usize) {
        let (starts, members) = (&requests.starts, requests.members());
        let pairs = self.places[..self.len].iter_mut().zip(&self.owners[..self.len]);
        let Some([rows, inner]) = requests.lines else {
            if members <= FEW {
                let mut all = [u64::MAX; FEW];
                all[..members].copy_from_slice(&starts[..members]);
                return subtract(&mut self.places[..self.len], &all);
            }
            pairs.for_each(|(place, owner)| *place -= starts[*owner as usize]);
            return;
        };
        for (at, (place, owner)) in (start..).zip(pairs) {
            let owner = *owner as usize;
            let Some(end) = starts.get(owner + 1) else { continue };
            let (outer, column) = ((at / (rows * inner)) as u64, (at % inner) as u64);
            let local = *place - starts[owner];
            *place = (outer * (end - starts[owner]) + local) * inner as u64 + column;
        }
    }

    /// The places and owners.
    pub(super) fn found(&self) -> (&[u64], &[u32]) {
        (&self.places[..self.len], &self.owners[..self.len])
    }
}

for_each_level! {
    /// Positions from either end of an axis, brought inside of it.
    fn inside[][](positions: &[i64], extent: u64, places: &mut [u64]) {
        for (place, &position) in places.iter_mut().zip(positions) {
            let from_start = if position < 0 { position + extent as i64 } else { position };
            *place = from_start.clamp(0, extent as i64 - 1) as u64;
        }
    }
}

for_each_level! {
    /// Positions from the start of an axis; negative ones are far outside.
    fn as_they_are[][](positions: &[i64], places: &mut [u64]) {
        for (place, &position) in places.iter_mut().zip(positions) {
            *place = position as u64;
        }
    }
}

for_each_level! {
    /// For each place, the number of bounds that are not above it, at most `members`.
    fn compare[][](places: &[u64], bounds: &[u64; FEW], members: u32, owners: &mut [u32]) {
        for (owner, &place) in owners.iter_mut().zip(places) {
            let mut below = 0;
            for &bound in bounds {
                below += u32::from(bound <= place);
            }
            *owner = below.min(members);
        }
    }
}

for_each_level! {
    /// Adds the number of owners that are `member`.
    fn add_equal[][](owners: &[u32], member: u32, count: &mut u32) {
        let mut equal = 0;
        for &owner in owners {
            equal += u32::from(owner == member);
        }
        *count += equal;
    }
}

for_each_level! {
    /// Subtracts from each place the last of the ascending starts that is not above it.
    fn subtract[][](places: &mut [u64], starts: &[u64; FEW]) {
        for place in places {
            let mut last = 0;
            for &start in starts {
                last = if start <= *place { start } else { last };
            }
            *place -= last;
        }
    }
}
