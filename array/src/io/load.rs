//! Arrays read from files: each process reads the blocks of its own devices.

use super::error::{out_of_memory, read_error};
use super::header::Header;
use super::npy;
use super::npz::{Archive, broken, inside};
use super::parts::{Checksum, for_each_run, read_at};
use super::{IoError, read_npy};
use crate::array::Array;
use crate::recording::current_mesh;
use phalanx_graph::{Error, HostArray, MeshHandle, Node, Site, call_site, within};
use phalanx_ops::IndexBox;
use std::cell::RefCell;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// An opened file.
enum Opened {
    /// A path that is not a regular file. It can be read only once, from its start.
    Stream,
    /// An array whose bytes are in the file without compression.
    Plain(Plain),
    /// A compressed array.
    Packed(Header),
}

/// An `.npy` file that is in a file without compression.
struct Plain {
    header: Header,
    /// The name of the `.npy` file, for messages.
    name: PathBuf,
    file: File,
    /// The offset of the `.npy` file.
    at: u64,
    /// The size of the `.npy` file in bytes and its CRC-32, if the file has a checksum.
    sum: Option<(u64, u32)>,
}

fn open_npy(path: &Path) -> Result<Opened, IoError> {
    let metadata = fs::metadata(path).map_err(|error| read_error(path, &error))?;
    if !metadata.is_file() {
        return Ok(Opened::Stream);
    }
    let mut file = File::open(path).map_err(|error| read_error(path, &error))?;
    let header = Header::read(&mut io::BufReader::new(&mut file), path)?;
    header.check_size(metadata.len(), path)?;
    Ok(Opened::Plain(Plain { header, name: path.to_owned(), file, at: 0, sum: None }))
}

fn open_member(archive: &mut Archive, name: &str) -> Result<Opened, IoError> {
    let (header, stored) = archive.find(name)?;
    Ok(match stored {
        None => Opened::Packed(header),
        Some(stored) => Opened::Plain(Plain {
            header,
            name: inside(archive.path(), name),
            file: stored.file,
            at: stored.at,
            sum: Some((stored.size, stored.checksum)),
        }),
    })
}

impl Opened {
    /// A text that is equal on all ranks if they have opened the same file.
    fn description(&self) -> String {
        match self {
            Opened::Stream => String::from("stream"),
            Opened::Plain(plain) => format!("{:?} {} {:?}", plain.header, plain.at, plain.sum),
            Opened::Packed(header) => format!("{header:?} packed"),
        }
    }
}

impl Plain {
    /// The elements of a block in C order. Their bytes in the file are added to the checksum.
    fn read(&mut self, block: &IndexBox, sum: &mut Option<Checksum>) -> Result<Vec<u8>, IoError> {
        let item = self.header.dtype.size();
        let extents: Vec<usize> = block.iter().map(std::ops::Range::len).collect();
        let mut bytes = Vec::new();
        let size = phalanx_ops::shape::size(&extents) * item;
        bytes.try_reserve_exact(size).map_err(|_| out_of_memory(&self.name))?;
        bytes.resize(size, 0);
        // In Fortran order the axes are in reverse order in the file.
        let (mut shape, mut block) = (self.header.shape.clone(), block.clone());
        if self.header.fortran_order {
            shape.reverse();
            block.reverse();
        }
        let data_at = self.header.data_offset;
        for_each_run(&shape, &block, item, |at, own| {
            let bytes = &mut bytes[own];
            read_at(&mut self.file, self.at + data_at + at, bytes)?;
            if let Some(sum) = sum {
                sum.add(data_at + at, bytes);
            }
            Ok(())
        })
        .map_err(|error| read_error(&self.name, &error))?;
        npy::native(bytes, &self.header, &extents, &self.name)
    }

    /// Adds the bytes before and after the data to the checksum.
    fn add_rest(&mut self, sum: &mut Checksum, size: u64) -> Result<(), IoError> {
        let mut ends = || {
            let data_end = self.header.data_offset + self.header.data_size() as u64;
            for mut range in [0..self.header.data_offset, data_end..size] {
                while !range.is_empty() {
                    let mut bytes = vec![0; (range.end - range.start).min(1 << 20) as usize];
                    read_at(&mut self.file, self.at + range.start, &mut bytes)?;
                    sum.add(range.start, &bytes);
                    range.start += bytes.len() as u64;
                }
            }
            Ok(())
        };
        ends().map_err(|error| read_error(&self.name, &error))
    }

    /// The blocks of this process, and its part of the checksum of the file. The part of rank 0
    /// includes the bytes that are in no block.
    fn read_blocks(
        &mut self,
        blocks: &[IndexBox],
        is_first: bool,
    ) -> Result<(Vec<Vec<u8>>, Option<Checksum>), IoError> {
        let mut sum = self.sum.map(|(size, _)| Checksum::of_file(size));
        let read =
            blocks.iter().map(|block| self.read(block, &mut sum)).collect::<Result<_, _>>()?;
        if let (true, Some(sum), Some((size, _))) = (is_first, &mut sum, self.sum) {
            self.add_rest(sum, size)?;
        }
        Ok((read, sum))
    }
}

/// The result, if all ranks succeeded. A rank that failed returns its own error with its fields.
/// Collective.
pub(super) fn agreed<T>(
    mesh: &MeshHandle,
    result: Result<T, IoError>,
    site: Site,
) -> Result<T, Error> {
    let outcome =
        result.as_ref().map(|_| ()).map_err(|error| format!("{} [{}]", error, error.code()));
    let all = mesh.together(site)?.agree(outcome, site);
    let own = result.map_err(|error| Error::failure(error, Some(site)))?;
    all.map(|()| own)
}

/// The array in a file. The ranks agree on every step that can fail on one rank.
fn loaded(
    path: &Path,
    open: impl FnOnce() -> Result<Opened, IoError>,
    read: impl FnOnce() -> Result<HostArray, IoError>,
    site: Site,
) -> Result<Array, Error> {
    let mesh = current_mesh(site)?;
    let engine = mesh.engine();
    let (rank, ranks) = engine.process();
    engine.declare(path.as_os_str().as_encoded_bytes(), site);
    let opened = agreed(&mesh, open(), site)?;
    if ranks > 1 {
        let own = opened.description().into_bytes();
        let all = engine.exchange(own.clone(), site)?;
        if all.iter().any(|other| *other != all[0]) {
            let differs = format!("{} is not the file that rank 0 opened", path.display());
            engine.agree(if own == all[0] { Ok(()) } else { Err(differs) }, site)?;
        }
    }
    let whole = |host: HostArray| Array::from_host_at(&host, site);
    let (header, plain) = match opened {
        Opened::Stream => return Ok(whole(agreed(&mesh, read(), site)?)),
        Opened::Plain(plain) => (plain.header.clone(), Some(plain)),
        Opened::Packed(header) => (header, None),
    };
    let (sharding, blocks) = engine.placement(&header.shape);
    let is_split = !sharding.is_replicated();
    match plain {
        Some(mut plain) if is_split => {
            let (blocks, own) = agreed(&mesh, plain.read_blocks(&blocks, rank == 0), site)?;
            if let (Some(own), Some((_, expected))) = (own, plain.sum) {
                let parts = engine.exchange(own.value().to_le_bytes().to_vec(), site)?;
                let found = joined(parts.iter().map(Vec::as_slice));
                if found != expected {
                    let name = plain.name.file_name().unwrap_or_default().to_string_lossy();
                    let error = broken(path, format!("`{name}`: Invalid checksum"));
                    return Err(Error::failure(error, Some(site)));
                }
            }
            let value = engine.from_blocks(header.dtype, &header.shape, blocks, site)?;
            let node = Node::evaluated(header.shape.as_slice().into(), header.dtype, value, site);
            Ok(Array::from_node(mesh, node))
        }
        Some(_) => Ok(whole(agreed(&mesh, read(), site)?)),
        None if ranks == 1 => Ok(whole(agreed(&mesh, read(), site)?)),
        None => {
            // Rank 0 decompresses.
            let empty = HostArray { dtype: header.dtype, shape: Vec::new(), bytes: Vec::new() };
            let host = if rank == 0 { read() } else { Ok(empty) };
            let mut host = agreed(&mesh, host, site)?;
            if !is_split {
                host.bytes = engine.exchange(host.bytes, site)?.swap_remove(0);
                host.shape = header.shape;
                return Ok(whole(host));
            }
            let mut shards: Vec<HostArray> = blocks
                .iter()
                .map(|_| {
                    let mut shape = header.shape.clone();
                    shape[0] = 0;
                    HostArray { dtype: header.dtype, shape, bytes: Vec::new() }
                })
                .collect();
            if rank == 0 {
                shards[0] = host;
            }
            let joined = within(site, || Array::from_local(shards, 0).with_sharding(sharding));
            joined.into_result()
        }
    }
}

/// The checksum of a file from the parts of all ranks, in four bytes each.
pub(super) fn joined<'a>(parts: impl Iterator<Item = &'a [u8]>) -> u32 {
    parts.fold(0, |sum, part| {
        let word = part.first_chunk().copied().map_or(0, u32::from_le_bytes);
        sum ^ word
    })
}

/// Reads a `.npy` file. Every rank must find the file under the same path. Collective over the
/// mesh; each process reads the blocks of its own devices.
///
/// Errors: `IoError` on a rank that cannot read the file, and `PX032` on the others; `PX032` on all
/// ranks if they find different files; `PX062` if the paths differ.
#[track_caller]
pub fn load(path: impl AsRef<Path>) -> Result<Array, Error> {
    let path = path.as_ref();
    loaded(path, || open_npy(path), || read_npy(path), call_site())
}

/// An open `.npz` file. Its directory and its arrays are those at the time of opening, even if
/// another file replaces it later.
pub struct Npz {
    archive: Mutex<Archive>,
    names: Vec<String>,
}

impl Npz {
    /// Opens a `.npz` file. Every rank must find the file under the same path. Collective over the
    /// mesh.
    ///
    /// Errors: `IoError` on a rank that cannot read the file, and `PX032` on the others; `PX062` if
    /// the paths differ.
    #[track_caller]
    pub fn open(path: impl AsRef<Path>) -> Result<Npz, Error> {
        let (path, site) = (path.as_ref(), call_site());
        let mesh = current_mesh(site)?;
        mesh.engine().declare(path.as_os_str().as_encoded_bytes(), site);
        let archive = agreed(&mesh, Archive::open(path), site)?;
        let names = archive.names();
        Ok(Npz { archive: Mutex::new(archive), names })
    }

    /// The names of the arrays, in the order of the file. Local.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Reads one of the arrays. Collective over the mesh. Each process reads the blocks of its own
    /// devices; a compressed array is read by rank 0, which sends the blocks of the other ranks.
    ///
    /// Errors: as for [`load`].
    #[track_caller]
    pub fn load(&self, name: &str) -> Result<Array, Error> {
        let archive = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        let path = archive.path().to_owned();
        let archive = RefCell::new(archive);
        let open = || open_member(&mut archive.borrow_mut(), name);
        loaded(&path, open, || archive.borrow_mut().read(name), call_site())
    }
}

/// Reads one array of a `.npz` file: [`Npz::open`] and then [`Npz::load`].
#[track_caller]
pub fn load_npz(path: impl AsRef<Path>, name: &str) -> Result<Array, Error> {
    let site = call_site();
    within(site, || Npz::open(path)?.load(name))
}
