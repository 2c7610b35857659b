//! Arrays written to files: each process writes the blocks that it holds.

use super::archive::StoredArchive;
use super::atomic::{Unfinished, begin, write_error};
use super::compressed::Packing;
use super::load::{agreed, joined};
use super::parts::{Checksum, for_each_run, write_at};
use super::{IoError, header, npz, write_npy, write_npz};
use crate::array::Array;
use crate::recording::mesh_of_arrays;
use phalanx_graph::{Error, HostArray, MeshHandle, Site, call_site, within};
use phalanx_waiting::aside;
use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Range;
use std::path::Path;

/// The parts of a file besides the data of its arrays.
enum Layout {
    Npy(Vec<u8>),
    Npz(StoredArchive),
}

impl Layout {
    fn size(&self, arrays: &[Saved]) -> u64 {
        match self {
            Layout::Npy(header) => header.len() as u64 + arrays[0].data_size(),
            Layout::Npz(archive) => archive.size(),
        }
    }

    fn data_at(&self, array: usize) -> u64 {
        match self {
            Layout::Npy(header) => header.len() as u64,
            Layout::Npz(archive) => archive.data_at(array),
        }
    }

    /// An empty checksum of the `.npy` file of an array, and the offset of the data in that file.
    fn checksum(&self, array: usize) -> Option<(Checksum, u64)> {
        match self {
            Layout::Npy(_) => None,
            Layout::Npz(archive) => {
                let (header, size) = archive.member(array);
                Some((Checksum::of_file(size), header.len() as u64))
            }
        }
    }

    /// Writes everything except the data of the arrays. `checksums` has the contributions of the
    /// data.
    fn write_rest(&self, file: &mut File, checksums: &[u32]) -> io::Result<()> {
        match self {
            Layout::Npy(header) => write_at(file, 0, header),
            Layout::Npz(archive) => {
                let mut whole = Vec::with_capacity(checksums.len());
                for (array, &data) in checksums.iter().enumerate() {
                    let (header, size) = archive.member(array);
                    let mut sum = Checksum::of_file(size);
                    sum.add(0, header);
                    whole.push(sum.value() ^ data);
                    let (at, bytes) = archive.head(array, whole[array]);
                    write_at(file, at, &bytes)?;
                }
                let (at, bytes) = archive.directory(&whole);
                write_at(file, at, &bytes)
            }
        }
    }
}

/// An array to be saved, with the blocks of this process.
struct Saved<'a> {
    array: &'a Array,
    /// The blocks that this process writes.
    blocks: Vec<(Vec<Range<usize>>, HostArray)>,
}

impl Saved<'_> {
    fn data_size(&self) -> u64 {
        self.array.size() as u64 * self.array.dtype().size() as u64
    }

    /// Writes the blocks of this process to data that start at offset `at`. `sum` is the checksum
    /// of their `.npy` file, if it has one, and the offset of the data in that file.
    fn write(&self, file: &mut File, at: u64, mut sum: Option<(Checksum, u64)>) -> io::Result<u32> {
        let item = self.array.dtype().size();
        for (block, host) in &self.blocks {
            for_each_run(self.array.shape(), block, item, |run, own| {
                let bytes = &host.bytes[own];
                if let Some((sum, data_at)) = &mut sum {
                    sum.add(*data_at + run, bytes);
                }
                write_at(file, at + run, bytes)
            })?;
        }
        Ok(sum.map_or(0, |(sum, _)| sum.value()))
    }
}

/// The arrays with the blocks that this process has to write. If several devices hold a block, the
/// first of them writes it. Collective.
fn shared_out<'a>(
    mesh: &MeshHandle,
    arrays: &[&'a Array],
    site: Site,
) -> Result<Vec<Saved<'a>>, Error> {
    let rank = mesh.engine().process().0;
    let mut saved = Vec::with_capacity(arrays.len());
    for &array in arrays {
        let shards = within(site, || array.local_shards())?;
        let block = |(start, host): (Vec<usize>, HostArray)| {
            let ranges = start.iter().zip(&host.shape).map(|(&at, &extent)| at..at + extent);
            (ranges.collect::<Vec<_>>(), host)
        };
        let own: Vec<_> = shards.into_iter().map(block).collect();
        let words = own.iter().flat_map(|(block, _)| block.iter().flat_map(|r| [r.start, r.end]));
        let message = words.flat_map(|word| (word as u64).to_le_bytes()).collect();
        let all = mesh.together(site)?.exchange(message, site)?;
        let bytes = array.ndim() * 16;
        let earlier: Vec<&[u8]> =
            all[..rank].iter().flat_map(|own| own.chunks_exact(bytes.max(1))).collect();
        let mine: Vec<&[u8]> = all[rank].chunks_exact(bytes.max(1)).collect();
        // A 0-d array is one block, which all processes hold.
        let is_first = |at: usize| match bytes {
            0 => rank == 0 && at == 0,
            _ => !earlier.contains(&mine[at]) && !mine[..at].contains(&mine[at]),
        };
        let blocks = own.into_iter().enumerate().filter(|(at, _)| is_first(*at));
        saved.push(Saved { array, blocks: blocks.map(|(_, block)| block).collect() });
    }
    Ok(saved)
}

/// A file that several processes write.
struct Together {
    /// The file on rank 0, which renames it to its target.
    unfinished: Option<Unfinished>,
    /// The file on another rank that has blocks to write.
    file: Option<File>,
}

/// The temporary file that rank 0 has made, opened on every rank with blocks to write. `None` on
/// all ranks if one of these cannot open it, or if `path` is not a regular file. Collective.
fn open_together(
    mesh: &MeshHandle,
    path: &Path,
    size: u64,
    writes: bool,
    site: Site,
) -> Result<Option<Together>, Error> {
    let engine = mesh.engine();
    let (rank, ranks) = engine.process();
    let start = || {
        let Some(unfinished) = begin(path)? else { return Ok((None, String::new())) };
        unfinished.file.set_len(size)?;
        let name = std::path::absolute(&unfinished.path)?;
        Ok((Some(unfinished), name.to_str().map(String::from).unwrap_or_default()))
    };
    let started = if rank == 0 { start() } else { Ok((None, String::new())) };
    let started = started.map_err(|error: io::Error| write_error(path, &error));
    let (unfinished, name) = agreed(mesh, started, site)?;
    if ranks == 1 {
        let alone = |unfinished| Together { unfinished: Some(unfinished), file: None };
        return Ok(unfinished.map(alone));
    }
    let name = engine.exchange(name.into_bytes(), site)?.swap_remove(0);
    let Some(name) = String::from_utf8(name).ok().filter(|name| !name.is_empty()) else {
        return Ok(None);
    };
    let open = || {
        let file = OpenOptions::new().write(true).open(&name).ok()?;
        file.metadata().is_ok_and(|metadata| metadata.len() == size).then_some(file)
    };
    let file = if rank != 0 && writes { open() } else { None };
    let is_ready = rank == 0 || !writes || file.is_some();
    let all = engine.exchange(vec![u8::from(is_ready)], site)?;
    if all.iter().any(|ready| *ready != [1]) {
        // The processes do not see the same folders.
        return Ok(None);
    }
    Ok(Some(Together { unfinished, file }))
}

/// Writes a file together. If that is impossible, rank 0 writes the whole arrays with `write`. The
/// ranks are those of the mesh of the arrays: a single rank for arrays of one process.
fn save_together(
    path: &Path,
    arrays: &[&Array],
    layout: &Layout,
    write: impl FnOnce(&[HostArray]) -> Result<(), IoError>,
    site: Site,
) -> Result<(), Error> {
    let mesh = mesh_of_arrays(arrays.iter().copied(), site)?;
    let engine = mesh.engine();
    engine.declare(path.as_os_str().as_encoded_bytes(), site);
    let saved = shared_out(&mesh, arrays, site)?;
    let writes = saved.iter().any(|array| !array.blocks.is_empty());
    let opened = open_together(&mesh, path, layout.size(&saved), writes, site)?;
    let Some(Together { mut unfinished, file: mut own_file }) = opened else {
        drop(saved);
        let hosts: Vec<HostArray> =
            arrays.iter().map(|array| array.to_host_at(site)).collect::<Result<_, _>>()?;
        let result = if engine.process().0 == 0 { write(&hosts) } else { Ok(()) };
        return agreed(&mesh, result, site);
    };
    let file = unfinished.as_mut().map(|unfinished| &mut unfinished.file).or(own_file.as_mut());
    let data = || -> io::Result<Vec<u8>> {
        let mut sums = vec![0; saved.len()];
        if let Some(file) = file {
            for (number, array) in saved.iter().enumerate() {
                sums[number] =
                    array.write(file, layout.data_at(number), layout.checksum(number))?;
            }
            if engine.process().0 != 0 {
                // Some disks report that they are full only at this call. Rank 0 makes it at the
                // end.
                aside(|| file.sync_all())?;
            }
        }
        Ok(sums.into_iter().flat_map(u32::to_le_bytes).collect())
    };
    let sums = agreed(&mesh, data().map_err(|error| write_error(path, &error)), site)?;
    drop(own_file);
    let parts = engine.exchange(sums, site)?;
    let whole: Vec<u32> = (0..saved.len())
        .map(|array| joined(parts.iter().filter_map(|part| part.get(array * 4..array * 4 + 4))))
        .collect();
    let finish = || match unfinished {
        None => Ok(()),
        Some(mut unfinished) => {
            layout.write_rest(&mut unfinished.file, &whole)?;
            unfinished.complete()
        }
    };
    agreed(&mesh, finish().map_err(|error| write_error(path, &error)), site)
}

/// Writes an array to a `.npy` file, which appears complete or not at all. Collective over the mesh
/// of the array. Pass the same path on all ranks. Rank 0 makes a file, each process writes the
/// blocks of its own devices into it, and rank 0 renames it. If not all processes see the folder,
/// rank 0 writes the whole array. An array of one process is written by that process.
///
/// Errors: those of the array; `IoError` on a rank that cannot write, and `PX032` on the others;
/// `PX062` if the paths of the ranks differ.
#[track_caller]
pub fn save(path: impl AsRef<Path>, array: &Array) -> Result<(), Error> {
    let (path, site) = (path.as_ref(), call_site());
    let fail = |error| Error::failure(error, Some(site));
    array.ok()?;
    let header = header::encode(array.dtype(), array.shape(), path).map_err(fail)?;
    let write = |hosts: &[HostArray]| write_npy(path, &hosts[0]);
    save_together(path, &[array], &Layout::Npy(header), write, site)
}

/// Writes arrays of one mesh to a `.npz` file, which appears complete or not at all. Collective
/// over the mesh; the processes write as in [`save`].
///
/// Errors: as for [`save`], and `OpError::Meshes`.
#[track_caller]
pub fn savez(path: impl AsRef<Path>, arrays: &[(&str, &Array)]) -> Result<(), Error> {
    let (path, site) = (path.as_ref(), call_site());
    let fail = |error| Error::failure(error, Some(site));
    for (_, array) in arrays {
        array.ok()?;
    }
    let members = arrays.iter().map(|(name, array)| (*name, array.dtype(), array.shape()));
    let layout = Layout::Npz(npz::layout(path, members).map_err(fail)?);
    let write = |hosts: &[HostArray]| {
        let named: Vec<(&str, &HostArray)> =
            arrays.iter().zip(hosts).map(|((name, _), host)| (*name, host)).collect();
        write_npz(path, &named)
    };
    let arrays: Vec<&Array> = arrays.iter().map(|(_, array)| *array).collect();
    save_together(path, &arrays, &layout, write, site)
}

/// Writes arrays of one mesh to a compressed `.npz` file, which appears complete or not at all.
/// Collective over the mesh. Rank 0 compresses one array after the other, and holds the whole of
/// each during that time.
///
/// Errors: as for [`savez`].
#[track_caller]
pub fn savez_compressed(path: impl AsRef<Path>, arrays: &[(&str, &Array)]) -> Result<(), Error> {
    let (path, site) = (path.as_ref(), call_site());
    for (_, array) in arrays {
        array.ok()?;
    }
    // Names that an archive cannot have are an error before anything is written.
    let members = arrays.iter().map(|(name, array)| (*name, array.dtype(), array.shape()));
    npz::layout(path, members).map_err(|error| Error::failure(error, Some(site)))?;
    let mesh = mesh_of_arrays(arrays.iter().map(|(_, array)| *array), site)?;
    let engine = mesh.engine();
    engine.declare(path.as_os_str().as_encoded_bytes(), site);
    let begun = if engine.process().0 == 0 { Packing::begin(path).map(Some) } else { Ok(None) };
    let failed = |error: io::Error| write_error(path, &error);
    let mut packing = agreed(&mesh, begun.map_err(failed), site)?;
    let mut done = Ok(());
    for (name, array) in arrays {
        let host = array.to_host_at(site)?;
        if let Some(packing) = packing.as_mut().filter(|_| done.is_ok()) {
            done = packing.add(name, &host, path);
        }
    }
    let finish = || packing.map_or(Ok(()), |packing| packing.finish().map_err(failed));
    agreed(&mesh, done.and_then(|()| finish()), site)
}
