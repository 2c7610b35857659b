//! The price table: the cost of a message on each plane and of each kind of work, measured once on
//! the program's machines.
//!
//! Rank 0 passes the table as a text, so that all ranks decide by the same figures.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

/// The first line of the text, with the format's version.
const HEAD: &str = "phalanx prices 2";
/// The first word of the line with the hosts.
const HOSTS: &str = "hosts";
/// The lengths in bytes at which planes are compared.
const SIZES: [usize; 3] = [8, 64 << 10, 8 << 20];

/// The cost of a message on a plane, or of a kind of work.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Price {
    /// Seconds until a short message has arrived, or a short piece of work has ended.
    pub latency: f64,
    /// Bytes a second of a long message, or the amount of work a second, in the unit of its kind.
    pub rate: f64,
}

impl Price {
    /// Seconds until a message of this many bytes has arrived.
    pub fn time(&self, bytes: usize) -> f64 {
        self.latency + bytes as f64 / self.rate
    }
}

/// The prices of planes and of kinds of work by name, and the hosts where they were measured.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Prices {
    prices: BTreeMap<String, Price>,
    hosts: Vec<String>,
}

/// The error of a text that is not a price table.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line} is no line of a price table")]
pub struct InvalidPrices {
    /// The number of the line, from 1.
    pub line: usize,
}

impl Prices {
    /// Sets the price of a plane or a kind of work.
    pub fn set(&mut self, name: &str, price: Price) {
        self.prices.insert(name.to_owned(), price);
    }

    /// Names the hosts, in any order.
    pub fn set_hosts(&mut self, hosts: impl IntoIterator<Item = String>) {
        let hosts: BTreeSet<String> = hosts.into_iter().collect();
        self.hosts = hosts.into_iter().collect();
    }

    /// Whether the prices apply to a program on these hosts. The table must name exactly these
    /// hosts, or none. Messages within a host and between hosts cost differently.
    pub fn are_of<'a>(&self, hosts: impl IntoIterator<Item = &'a str>) -> bool {
        let hosts: BTreeSet<&str> = hosts.into_iter().collect();
        self.hosts.is_empty() || hosts.into_iter().eq(self.hosts.iter().map(String::as_str))
    }

    /// The price of a plane or a kind of work, if it was measured.
    pub fn price(&self, name: &str) -> Option<Price> {
        self.prices.get(name).copied()
    }

    /// The names and their prices, in the order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Price)> {
        self.prices.iter().map(|(name, price)| (name.as_str(), *price))
    }

    /// Whether messages of all compared lengths arrive sooner on `plane` than on `other`; false if
    /// one of them was not measured.
    pub fn is_faster(&self, plane: &str, other: &str) -> bool {
        match (self.price(plane), self.price(other)) {
            (Some(plane), Some(other)) => {
                SIZES.iter().all(|&bytes| plane.time(bytes) < other.time(bytes))
            }
            _ => false,
        }
    }
}

impl fmt::Display for Prices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD}\n# name, nanoseconds of the shortest, bytes or other units a second")?;
        if !self.hosts.is_empty() {
            writeln!(f, "{HOSTS} {}", self.hosts.join(" "))?;
        }
        for (name, price) in self.iter() {
            writeln!(f, "{name} {:.0} {:.0}", price.latency * 1e9, price.rate)?;
        }
        Ok(())
    }
}

impl FromStr for Prices {
    type Err = InvalidPrices;

    fn from_str(text: &str) -> Result<Prices, InvalidPrices> {
        let mut prices = Prices::default();
        let mut lines = text.lines().zip(1..);
        if lines.next().map(|(line, _)| line.trim()) != Some(HEAD) {
            return Err(InvalidPrices { line: 1 });
        }
        for (line, number) in lines {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let invalid = || InvalidPrices { line: number };
            let mut words = line.split_whitespace();
            let name = words.next().ok_or_else(invalid)?;
            if name == HOSTS {
                prices.set_hosts(words.map(str::to_owned));
                continue;
            }
            let mut figure = || {
                let figure: f64 = words.next()?.parse().ok()?;
                (figure.is_finite() && figure > 0.0).then_some(figure)
            };
            let (latency, rate) = figure().zip(figure()).ok_or_else(invalid)?;
            if words.next().is_some() {
                return Err(invalid());
            }
            prices.set(name, Price { latency: latency / 1e9, rate });
        }
        Ok(prices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_read_as_it_was_written() {
        let mut prices = Prices::default();
        prices.set("tcp", Price { latency: 25e-6, rate: 3e9 });
        prices.set("mpi", Price { latency: 1e-6, rate: 5e9 });
        let text = prices.to_string();
        assert_eq!(text.lines().nth(2), Some("mpi 1000 5000000000"));
        assert_eq!(text.parse(), Ok(prices.clone()));
        assert!(prices.are_of(["a", "b"]), "hosts that nobody has named are any");
        prices.set_hosts(["b", "a", "b"].map(String::from));
        let text = prices.to_string();
        assert_eq!(text.lines().nth(2), Some("hosts a b"));
        assert_eq!(text.parse(), Ok(prices.clone()));
        assert!(prices.are_of(["a", "b", "a"]) && !prices.are_of(["a"]));
        assert!(!prices.are_of(["a", "b", "c"]));
        assert_eq!("".parse::<Prices>(), Err(InvalidPrices { line: 1 }));
        for wrong in ["tcp", "tcp 1", "tcp 1 x", "tcp -1 5", "tcp 0 5", "tcp 1 inf", "tcp 1 2 3"] {
            let text = format!("{HEAD}\n\n{wrong}\n");
            assert_eq!(text.parse::<Prices>(), Err(InvalidPrices { line: 3 }), "{wrong}");
        }
    }

    #[test]
    fn a_plane_is_faster_if_it_is_for_all_sizes() {
        let of = |tcp: (f64, f64), mpi: (f64, f64)| {
            let mut prices = Prices::default();
            prices.set("tcp", Price { latency: tcp.0, rate: tcp.1 });
            prices.set("mpi", Price { latency: mpi.0, rate: mpi.1 });
            prices.is_faster("tcp", "mpi")
        };
        assert!(of((10e-6, 4e9), (20e-6, 3e9)));
        assert!(!of((10e-6, 3e9), (20e-6, 4e9)));
        assert!(!of((20e-6, 4e9), (10e-6, 3e9)));
        assert!(!Prices::default().is_faster("tcp", "mpi"));
    }
}
