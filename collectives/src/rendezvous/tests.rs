//! Ranks that come and then go before the world exists.

use super::Rendezvous;
use super::frames::{Answer, Hello, Report, read_frame, write_frame};
use super::token::respond;
use crate::{CollectiveError, World};
use tokio::net::{TcpListener, TcpStream};

const TOKEN: &[u8] = b"a shared secret";

/// Meets as ranks 0 and 2 of three, with `ghost` in the place of rank 1; their errors.
fn meet_with<F: Future<Output = ()>>(
    ghost: impl FnOnce(TcpStream, String) -> F,
) -> [CollectiveError; 2] {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let mut listener = Some(listener);
    let ranks = [0, 2].map(|rank| {
        let (token, listener) = (TOKEN.to_vec(), listener.take());
        let meeting = Rendezvous { token, listener, ..Rendezvous::new(rank, 3, address.clone()) };
        std::thread::spawn(move || meeting.join())
    });
    runtime.block_on(async {
        let mut stream = TcpStream::connect(&address).await.unwrap();
        respond(&mut stream, TOKEN).await.unwrap();
        let unused = TcpListener::bind("127.0.0.1:0").await.unwrap();
        ghost(stream, unused.local_addr().unwrap().to_string()).await;
    });
    ranks.map(|rank| rank.join().unwrap().map(|_: World| ()).unwrap_err())
}

fn hello(address: String) -> Hello {
    let (agreement, facts) = (Vec::new(), Vec::new());
    Hello { rank: 1, size: 3, address, local_devices: 1, agreement, facts }
}

#[test]
fn a_rank_that_dies_while_ranks_connect_is_an_error_on_all_others() {
    let errors = meet_with(|mut stream, address| async move {
        write_frame(&mut stream, &hello(address)).await.unwrap();
        while !matches!(read_frame(&mut stream).await.unwrap(), Answer::Welcome(_)) {}
    });
    for error in errors {
        assert!(matches!(error, CollectiveError::RankDied { rank: 1, .. }), "{error}");
    }
}

#[test]
fn a_rank_that_cannot_connect_tells_all_others_why() {
    let reason = CollectiveError::PeerUnreachable {
        rank: 2,
        address: String::from("elsewhere"),
        reason: String::from("no route"),
    };
    let errors = meet_with(|mut stream, address| {
        let failed = Report::Failed(reason.clone());
        async move {
            write_frame(&mut stream, &hello(address)).await.unwrap();
            while !matches!(read_frame(&mut stream).await.unwrap(), Answer::Welcome(_)) {}
            write_frame(&mut stream, &failed).await.unwrap();
            assert!(matches!(read_frame(&mut stream).await.unwrap(), Answer::Refused(_)));
        }
    });
    assert_eq!(errors, [reason.clone(), reason]);
}
