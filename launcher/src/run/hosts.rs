//! The hosts of a run, and the host of each rank.

use std::str::FromStr;

/// Hosts with the number of ranks that each can take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts(Vec<(String, Option<usize>)>);

/// The host of a rank and its position there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// The host as ssh accepts it; `None` for this one.
    pub host: Option<String>,
    /// The rank's number among those of its host.
    pub local_rank: usize,
    /// The number of ranks on its host.
    pub local_size: usize,
}

impl FromStr for Hosts {
    type Err = String;

    /// The hosts of a text such as `node1:4,user@node2`.
    fn from_str(text: &str) -> Result<Hosts, String> {
        let mut hosts: Vec<(String, Option<usize>)> = Vec::new();
        for part in text.split(',') {
            let (host, places) = match part.rsplit_once(':') {
                Some((host, places)) => match places.parse() {
                    Ok(places @ 1usize..) => (host, Some(places)),
                    _ => return Err(format!("`{part}`: places are a number from 1")),
                },
                None => (part, None),
            };
            let allowed = |letter: char| letter.is_alphanumeric() || "._-@".contains(letter);
            // A name that starts with a dash would be an option of ssh.
            if host.is_empty() || host.starts_with('-') || !host.chars().all(allowed) {
                return Err(format!("`{host}` is no name of a host"));
            }
            if hosts.iter().any(|known| known.0 == host) {
                return Err(format!("{host} is named twice"));
            }
            hosts.push((host.to_owned(), places));
        }
        Ok(Hosts(hosts))
    }
}

impl Hosts {
    /// The number of ranks that the hosts can take; a host without a number takes one.
    pub fn places(&self) -> usize {
        self.0.iter().map(|host| host.1.unwrap_or(1)).fold(0, usize::saturating_add)
    }

    /// Assigns ranks to hosts, one host after another. If no host has a number, all take equally
    /// many, the first ones one more. `own` is the name of this host.
    pub fn seats(&self, ranks: usize, own: &str) -> Result<Vec<Seat>, String> {
        let count = self.0.len();
        let are_open = self.0.iter().all(|host| host.1.is_none());
        if !are_open && ranks > self.places() {
            return Err(format!("{ranks} ranks, but the hosts have {} places", self.places()));
        }
        let mut seats = Vec::with_capacity(ranks);
        for (position, (host, places)) in self.0.iter().enumerate() {
            let alike = ranks / count + usize::from(position < ranks % count);
            let places = if are_open { alike } else { places.unwrap_or(1) };
            let local_size = places.min(ranks - seats.len());
            let host = (!is_here(host, own)).then(|| host.clone());
            seats.extend((0..local_size).map(|local_rank| Seat {
                host: host.clone(),
                local_rank,
                local_size,
            }));
        }
        Ok(seats)
    }
}

/// Whether a name denotes this host, which is named `own`.
fn is_here(host: &str, own: &str) -> bool {
    let short = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    let is_number = host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    matches!(host, "localhost" | "127.0.0.1")
        || host == own
        // One of the two may be the full name.
        || !is_number && (short(own) == host || short(host) == own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seats(hosts: &str, ranks: usize) -> Vec<String> {
        let hosts: Hosts = hosts.parse().unwrap();
        let seats = hosts.seats(ranks, "here").unwrap();
        let described = |seat: &Seat| {
            let host = seat.host.as_deref().unwrap_or("-");
            format!("{host} {}/{}", seat.local_rank, seat.local_size)
        };
        seats.iter().map(described).collect()
    }

    #[test]
    fn hosts_are_filled_one_after_the_other() {
        assert_eq!(seats("a:2,b:2", 4), ["a 0/2", "a 1/2", "b 0/2", "b 1/2"]);
        assert_eq!(seats("a:2,b:2", 3), ["a 0/2", "a 1/2", "b 0/1"]);
        assert_eq!(seats("a,b", 3), ["a 0/2", "a 1/2", "b 0/1"]);
        assert_eq!(seats("a,b,c", 2), ["a 0/1", "b 0/1"]);
        assert_eq!(seats("here:1,u@b.site.org:1", 2), ["- 0/1", "u@b.site.org 0/1"]);
        assert_eq!(seats("localhost:2", 2), ["- 0/2", "- 1/2"]);
        assert_eq!(seats("here.site.org", 1), ["- 0/1"]);
    }

    #[test]
    fn impossible_divisions_are_refused() {
        for text in ["", "a:0", "a:x", "a,,b", "-oProxyCommand=x", "a b", "a,a", ":2", "a;b", "$x"]
        {
            assert!(text.parse::<Hosts>().is_err(), "{text}");
        }
        let hosts: Hosts = "a:1,b:1".parse().unwrap();
        assert!(hosts.seats(3, "here").unwrap_err().contains("2 places"));
        assert_eq!(hosts.places(), 2);
    }
}
