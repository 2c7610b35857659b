//! Tests the table in each binary interface, against a stub that accepts only its own handles.

use super::abi::Abi;
use super::calls::{Bits, Calls, Envelope, Progress};
use super::departures::Departures;
use super::engine::Engine;
use super::find::Symbols;
use super::library::Library;
use super::native::Native;
use super::process::{Mpi, MpiOptions, Threads};
use super::start::{Parts, Start};
use crate::failure::Failure;
use crate::{CollectiveError, Rendezvous, Transport, World};
use std::ffi::c_int;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// Compiles the stub for an interface; `None` without a C compiler.
fn stub(name: &str, definitions: &[&str]) -> Option<PathBuf> {
    let folder = std::env::temp_dir().join(format!("phalanx-mpi-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let library = folder.join(format!("{name}.so"));
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/src/planes/mpi/tests/stub.c");
    let mut compile = Command::new("cc");
    compile.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source);
    compile.args(definitions.iter().map(|name| format!("-D{name}")));
    let Ok(output) = compile.output() else {
        println!("skipped: there is no C compiler");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(library)
}

#[test]
fn every_interface_is_recognised_and_gets_the_handles_that_it_knows() {
    for (definition, abi) in
        [("OPEN_MPI", Abi::OpenMpi), ("MPICH", Abi::Mpich), ("STANDARD", Abi::Standard)]
    {
        let Some(library) = stub(definition, &[definition]) else { return };
        let symbols = Symbols::open_alone(&library).unwrap();
        assert_eq!(Abi::of(&symbols), Ok(abi));
        let calls = abi.load(symbols).unwrap();
        assert_eq!(calls.query_thread(), Ok(3));
        assert_eq!(calls.init_thread(), Ok(()));
        let world = calls.world();
        assert_eq!((calls.rank(world), calls.size(world)), (Ok(2), Ok(7)));
        let communicator = calls.duplicate(world).unwrap();
        assert_eq!(calls.tag_limit(communicator), Ok(1 << 20));
        let mut bytes = [0; 5];
        calls.broadcast(communicator, &mut bytes, 3).unwrap();
        assert_eq!(&bytes, b"bbbbb");
        let envelope = Envelope { communicator, process: 5, tag: 11 };
        // SAFETY: the bytes live, and the stub is done with them when it returns.
        let mut request = unsafe { calls.receive(&envelope, bytes.as_mut_ptr(), 4) }.unwrap();
        assert_eq!(&bytes, b"rrrrb");
        // SAFETY: as above.
        let mut other = unsafe { calls.send(&envelope, bytes.as_ptr(), 5) }.unwrap();
        assert_eq!(request, other);
        assert!(matches!(calls.test(&mut request), Progress::Pending));
        assert_eq!(calls.probe(&envelope), Ok(true));
        calls.cancel(&mut request);
        assert!(matches!(calls.test(&mut request), Progress::Done(77)));
        assert_ne!(request, other);
        assert!(matches!(calls.test(&mut other), Progress::Truncated(77)));
        starts(&*calls, communicator, &request);
        let refused = calls.size(Bits(0x55));
        let (call, reason) = ("MPI_Comm_size".into(), "a text of the library".into());
        assert_eq!(refused, Err(CollectiveError::Mpi { call, reason }));
        assert_eq!(calls.takes_device_memory(), None);
    }
}

/// Splits a communicator and starts every collective on it.
fn starts(calls: &dyn Calls, communicator: Bits, over: &Bits) {
    let started = |start: Start| {
        // SAFETY: the memory of the collectives lives, and the stub is done with it at its return.
        let request = unsafe { calls.start(communicator, &start) }.unwrap();
        assert_ne!(request, *over, "{start:?} has a request");
    };
    assert_eq!(calls.split(communicator, Some(4), 6), Ok(Some(communicator)));
    assert_eq!(calls.split(communicator, None, 6), Ok(None));
    assert_eq!(calls.free(communicator), Ok(()));
    let (counts, offsets) = ([1, 2, 3, 4, 5, 6, 7], [0, 1, 3, 6, 10, 15, 21]);
    let parts = Parts { counts: counts.as_ptr(), offsets: offsets.as_ptr() };
    let (from, mut to) = ([b'-'; 28], [0u8; 28]);
    let whole = to.as_mut_ptr();
    started(Start::Barrier);
    started(Start::Broadcast { data: whole, len: 28, root: 3 });
    assert_eq!(to, [b'B'; 28]);
    started(Start::AllGatherEqual { whole, len: 3 });
    assert_eq!((to[20], to[21]), (b'g', b'B'));
    started(Start::AllGather { whole, parts });
    assert_eq!(to, [b'G'; 28]);
    let (from, from_parts) = (from.as_ptr(), parts);
    started(Start::AllToAll { from, from_parts, to: whole, to_parts: parts });
    assert_eq!(to, [b'-'; 28]);
    started(Start::Scatter { whole, parts, root: 3 });
    started(Start::ScatterReceive { part: whole, len: 3, root: 3 });
    assert_eq!(&to[..4], b"sss-");
    started(Start::GatherSend { part: whole, len: 3, root: 3 });
    started(Start::Gather { whole, parts, root: 3 });
    assert_eq!(to, [b'a'; 28]);
}

#[test]
fn libraries_that_are_not_mpi_or_lack_a_function_are_refused_by_name() {
    let Some(library) = stub("incomplete", &["MPICH", "INCOMPLETE"]) else { return };
    let symbols = Symbols::open_alone(&library).unwrap();
    let error = Abi::of(&symbols).unwrap().load(symbols).unwrap_err();
    assert!(error.ends_with("incomplete.so has no MPI_Error_string"), "{error}");
    let absent = Symbols::find(Some(std::path::Path::new("/nonexistent/libmpi.so")), false);
    let error = absent.unwrap_err();
    assert!(error.starts_with("PHALANX_MPI_LIBRARY: "), "{error}");
    assert!(error.contains("/nonexistent/libmpi.so"), "{error}");
}

#[test]
fn threads_call_only_where_the_library_lets_them() {
    let Some(library) = stub("threads", &["STANDARD"]) else { return };
    let open = || Symbols::open_alone(&library).unwrap();
    let kept = open();
    let set = |name: &str, value: c_int| {
        let place = kept.address(name).unwrap().cast::<c_int>();
        // SAFETY: the stub exports an integer of this name, and no call of it is under way.
        unsafe { *place = value };
    };
    let begin = || Mpi::begin(Abi::Standard.load(open()).unwrap());
    for (level, threads) in [(2, Threads::Serialized), (3, Threads::Multiple)] {
        set("stub_level", level);
        set("stub_is_main", 0);
        let mpi = begin().unwrap();
        assert_eq!(mpi.threads(), threads);
        std::thread::scope(|scope| scope.spawn(|| assert_eq!(mpi.check_thread(), Ok(()))).join())
            .unwrap();
    }
    for (level, name) in [(0, "MPI_THREAD_SINGLE"), (1, "MPI_THREAD_FUNNELED")] {
        let refused = CollectiveError::MpiThreads { provided: name.into() };
        set("stub_level", level);
        set("stub_is_main", 0);
        assert_eq!(begin().unwrap_err(), refused);
        set("stub_is_main", 1);
        let mpi = begin().unwrap();
        assert_eq!(mpi.check_thread(), Ok(()));
        let elsewhere = std::thread::scope(|scope| scope.spawn(|| mpi.check_thread()).join());
        assert_eq!(elsewhere.unwrap(), Err(refused));
    }
}

#[test]
fn communicators_are_given_back_with_their_groups_and_in_peace_with_the_world() {
    let Some(library) = stub("held", &["STANDARD"]) else { return };
    let symbols = Symbols::open_alone(&library).unwrap();
    let place = |name: &str| symbols.address(name).unwrap().cast::<c_int>();
    let (count, is_finalised) = (place("stub_communicators"), place("stub_is_finalised"));
    // SAFETY: the stub exports integers of these names, and no call of it is under way.
    let count = || unsafe { *count };
    let mpi = Mpi::begin(Abi::Standard.load(Symbols::open_alone(&library).unwrap()).unwrap());
    let mpi = Arc::new(mpi.unwrap());
    let left = CollectiveError::RankLeft { rank: 0 };
    for (end, ends_first, held) in [
        (CollectiveError::Closed, false, 0),
        // After a failure some member may be in a collective on the communicator.
        (left, false, 3),
        // The program finalises the library before the session ends.
        (CollectiveError::Closed, true, 3),
    ] {
        let failure = Arc::<Failure>::default();
        let departures = Arc::new(Departures::new(7));
        let engine = Engine::new(mpi.clone(), &[1; 7], failure.clone(), departures).unwrap();
        let of_process = 1;
        let before = count() - of_process - 2;
        let world = Native::of_world(&engine, 0).unwrap();
        let groups = [1, 2].map(|group| world.split(Some(4), 6, group, &[2]).unwrap().unwrap());
        assert_eq!(count() - before, of_process + 4);
        let [early, late] = groups;
        drop(early);
        assert_eq!(count() - before, of_process + 3);
        let is_peaceful = end == CollectiveError::Closed;
        failure.set(end);
        // SAFETY: as above.
        unsafe { *is_finalised = c_int::from(ends_first) };
        engine.stop(is_peaceful);
        drop((world, late));
        engine.stop(false);
        assert_eq!(count() - before, of_process + held);
    }
}

/// Runs a rendezvous of two ranks with libraries, or with the reasons why they have none.
fn meet(
    transport: Transport,
    libraries: [Result<Library, String>; 2],
) -> [Result<World, CollectiveError>; 2] {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let mut listener = Some(listener);
    let mut rank = 0;
    let ranks = libraries.map(|mpi| {
        let (timeout, listener) = (Duration::from_secs(10), listener.take());
        let base = Rendezvous::new(rank, 2, address.clone());
        let meeting = Rendezvous { transport, timeout, listener, mpi, ..base };
        rank += 1;
        std::thread::spawn(move || meeting.join())
    });
    ranks.map(|rank| rank.join().unwrap())
}

#[test]
fn no_rank_begins_unless_all_can_and_each_start_has_a_time_limit() {
    let Some(library) = stub("slow", &["STANDARD"]) else { return };
    let symbols = Symbols::open_alone(&library).unwrap();
    let place = symbols.address("stub_is_initialised").unwrap().cast::<c_int>();
    // SAFETY: the stub exports an integer of this name, and no call of it is under way.
    unsafe { *place = 0 };
    let calls = Abi::Standard.load(symbols).unwrap();
    let library = Library::of((calls, Abi::Standard), &MpiOptions::default()).unwrap();
    assert_eq!((library.is_initialised(), library.place()), (Ok(false), Ok(None)));

    let without = || Err(String::from("there is no library here"));
    let reason = "rank 1: there is no library here";
    for world in meet(Transport::Auto, [Ok(library.clone()), without()]) {
        let world = world.unwrap();
        assert_eq!((world.transport(), world.without_mpi()), ("tcp", Some(reason)));
    }
    for error in meet(Transport::Mpi, [Ok(library.clone()), without()]) {
        let reason = String::from(reason);
        assert_eq!(error.err(), Some(CollectiveError::MpiUnavailable { reason }));
    }
    // Both ranks have the library, which never finishes its initialisation.
    let reason = "rank 0: MPI_Init_thread did not end within 10 s";
    for world in meet(Transport::Auto, [Ok(library.clone()), Ok(library.clone())]) {
        let world = world.unwrap();
        assert_eq!((world.transport(), world.without_mpi()), ("tcp", Some(reason)));
    }
}

#[test]
fn open_mpi_begins_only_where_its_launcher_speaks_pmix() {
    let begins = |definition: &str, abi: Abi, is_without_pmix| {
        let symbols = Symbols::open_alone(&stub(definition, &[definition])?).unwrap();
        let calls = abi.load(symbols).unwrap();
        let options = MpiOptions { is_without_pmix, ..MpiOptions::default() };
        Some(Library::of((calls, abi), &options).unwrap().can_begin())
    };
    let Some(refused) = begins("OPEN_MPI", Abi::OpenMpi, true) else { return };
    let reason = refused.unwrap_err();
    assert!(reason.starts_with("the launcher offers no PMIx"), "{reason}");
    assert_eq!(begins("OPEN_MPI", Abi::OpenMpi, false), Some(Ok(())));
    assert_eq!(begins("MPICH", Abi::Mpich, true), Some(Ok(())));
}

#[test]
fn the_statement_of_a_library_about_gpu_memory_decides_the_trials() {
    let open = |name: &str, definitions: &[&str], cuda| {
        let symbols = Symbols::open_alone(&stub(name, definitions)?).unwrap();
        let options = MpiOptions { cuda, ..MpiOptions::default() };
        let calls = Abi::Standard.load(symbols).unwrap();
        Some(Library::of((calls, Abi::Standard), &options).unwrap().describe_gpus())
    };
    let (yes, no) = (["STANDARD", "CUDA=1"], ["STANDARD", "CUDA=0"]);
    for (name, definitions, cuda, expected) in [
        ("yes", &yes[..], None, "from GPU to GPU, if an exchange at start proves it: the MPI"),
        ("yes", &yes, Some(false), "through pinned memory of the host: PHALANX_MPI_CUDA is 0"),
        ("no", &no, None, "through pinned memory of the host: the MPI library says that it does"),
        ("no", &no, Some(true), "from GPU to GPU, if an exchange at start proves it: PHALANX_"),
        ("silent", &["STANDARD"], None, "through pinned memory of the host: the MPI library does"),
    ] {
        let Some(described) = open(name, definitions, cuda) else { return };
        assert!(described.starts_with(expected), "{name} {cuda:?}: {described}");
    }
}

/// MPICH ends the process that asks too early, even one that only prints information.
#[test]
fn a_library_that_has_not_begun_is_not_asked() {
    let Some(file) = stub("early", &["STANDARD", "CUDA=1"]) else { return };
    let symbols = Symbols::open_alone(&file).unwrap();
    let place = symbols.address("stub_is_initialised").unwrap().cast::<c_int>();
    // SAFETY: an `int` of a library that no other test has open.
    unsafe { place.write(0) };
    let calls = Abi::Standard.load(symbols).unwrap();
    let library = Library::of((calls, Abi::Standard), &MpiOptions::default()).unwrap();
    assert_eq!(library.describe_gpus(), "known after the initialisation of the MPI library");
    assert!(library.describe().contains("says after its initialisation"), "{}", library.describe());
}
