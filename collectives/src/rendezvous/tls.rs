//! Encrypted connections, for networks that are not trusted (`PHALANX_TLS=1`).
//!
//! Both ends use TLS 1.3. The accepting end makes its own key, which no authority signs. The
//! proof of the token identifies the other end; it travels encrypted and is bound to the
//! connection. Both ends add to it a value that only the two ends of one TLS session have. An
//! attacker in the middle has another session with each end, so it cannot forward the proof.

use super::greeting::{ENCRYPTED, GREETING, Refusal};
use crate::transport::Tunnel;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring as provider, verify_tls13_signature_with_raw_key};
use rustls::pki_types::{
    CertificateDer, PrivatePkcs8KeyDer, ServerName, SubjectPublicKeyInfoDer, UnixTime,
};
use rustls::server::AlwaysResolvesServerRawPublicKeys;
use rustls::sign::CertifiedKey;
use rustls::version::TLS13;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, ServerConfig, SignatureScheme,
};
use std::future::poll_fn;
use std::io;
use std::net::Ipv4Addr;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::{TlsAcceptor, TlsConnector};

/// The bytes of the value that both ends of a session derive.
const BINDING_BYTES: usize = 32;
/// The label of that value.
const LABEL: &[u8] = b"EXPORTER-phalanx-token";

/// A new connection before the proof.
pub(super) struct Opened {
    /// The stream to read and write.
    pub(super) stream: TcpStream,
    pub(super) tunnel: Option<Arc<Tunnel>>,
    /// The value that only the two ends of the session have; empty without encryption.
    pub(super) binding: Vec<u8>,
}

impl From<TcpStream> for Opened {
    fn from(stream: TcpStream) -> Opened {
        Opened { stream, tunnel: None, binding: Vec::new() }
    }
}

/// Wraps a connection that this process has made, encrypted if `is_encrypted`.
pub(super) async fn connected(stream: TcpStream, is_encrypted: bool) -> Result<Opened, Refusal> {
    if !is_encrypted {
        return Ok(stream.into());
    }
    let (stream, outer) = doubled(stream)?;
    let name = ServerName::IpAddress(Ipv4Addr::LOCALHOST.into());
    let mut connecting = pin!(TlsConnector::from(client()?).connect(name, stream));
    let mut is_plain = false;
    let stream = poll_fn(|context| {
        let mut first = [0; GREETING.len()];
        // Look at the bytes before the handshake takes them.
        is_plain |= matches!(outer.peek(&mut first), Ok(count) if first[..count] == *GREETING);
        connecting.as_mut().poll(context)
    });
    let stream = match stream.await {
        Err(_) if is_plain => return Err(Refusal::Encryption),
        stream => stream?,
    };
    let session = stream.get_ref().1;
    let binding = session.export_keying_material([0; BINDING_BYTES], LABEL, None);
    Ok(encrypted(stream, outer, binding.map_err(io::Error::other)?).await?)
}

/// Wraps a connection that this process has accepted, encrypted if `is_encrypted`.
pub(super) async fn accepted(mut stream: TcpStream, is_encrypted: bool) -> Result<Opened, Refusal> {
    if !is_encrypted {
        return Ok(stream.into());
    }
    let mut first = [0];
    stream.peek(&mut first).await?;
    if first[0] == GREETING[0] {
        // Read the greeting first: a connection that closes with unread bytes may lose the answer.
        let mut greeting = [0; GREETING.len()];
        stream.read_exact(&mut greeting).await?;
        stream.write_all(ENCRYPTED).await?;
        return Err(Refusal::Encryption);
    }
    let (stream, outer) = doubled(stream)?;
    let stream = TlsAcceptor::from(server()?).accept(stream).await?;
    let session = stream.get_ref().1;
    let binding = session.export_keying_material([0; BINDING_BYTES], LABEL, None);
    Ok(encrypted(stream, outer, binding.map_err(io::Error::other)?).await?)
}

fn doubled(stream: TcpStream) -> io::Result<(TcpStream, std::net::TcpStream)> {
    let stream = stream.into_std()?;
    let outer = stream.try_clone()?;
    Ok((TcpStream::from_std(stream)?, outer))
}

async fn encrypted(
    stream: impl AsyncRead + AsyncWrite + Send + 'static,
    outer: std::net::TcpStream,
    binding: [u8; BINDING_BYTES],
) -> io::Result<Opened> {
    let (near, tunnel) = Tunnel::open(stream, outer).await?;
    Ok(Opened { stream: near, tunnel: Some(tunnel), binding: binding.to_vec() })
}

fn ring() -> Arc<CryptoProvider> {
    Arc::new(provider::default_provider())
}

/// The encryption of accepted connections, with a key that no other process and no later one has.
fn server() -> io::Result<Arc<ServerConfig>> {
    static SERVER: OnceLock<Arc<ServerConfig>> = OnceLock::new();
    if let Some(server) = SERVER.get() {
        return Ok(server.clone());
    }
    let random = ring::rand::SystemRandom::new();
    let key = ring::signature::Ed25519KeyPair::generate_pkcs8(&random);
    let key = key.map_err(|error| io::Error::other(error.to_string()))?;
    let key = PrivatePkcs8KeyDer::from(key.as_ref().to_vec());
    let key = provider::sign::any_eddsa_type(&key).map_err(io::Error::other)?;
    let public = key.public_key().ok_or_else(|| io::Error::other("a key without public part"))?;
    let public = CertificateDer::from(public.as_ref().to_vec());
    let key = Arc::new(CertifiedKey::new(vec![public], key));
    let server = ServerConfig::builder_with_provider(ring())
        .with_protocol_versions(&[&TLS13])
        .map_err(io::Error::other)?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(AlwaysResolvesServerRawPublicKeys::new(key)));
    Ok(SERVER.get_or_init(|| Arc::new(server)).clone())
}

/// The encryption of connections that this process makes.
fn client() -> io::Result<Arc<ClientConfig>> {
    let client = ClientConfig::builder_with_provider(ring())
        .with_protocol_versions(&[&TLS13])
        .map_err(io::Error::other)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anybody(ring())))
        .with_no_client_auth();
    Ok(Arc::new(client))
}

/// Accepts every key that the other end proves to own. The token is proved later.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _key: &CertificateDer<'_>,
        _others: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _key: &CertificateDer<'_>,
        _signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        // No session has that version.
        Err(Error::InvalidCertificate(CertificateError::BadSignature))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        key: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let key = SubjectPublicKeyInfoDer::from(key.as_ref());
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature_with_raw_key(message, &key, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::token::{challenge, respond};
    use super::*;
    use crate::transport::pair;

    const TOKEN: &[u8] = b"a shared secret";

    async fn streams() -> (TcpStream, TcpStream) {
        pair().await.unwrap()
    }

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    #[test]
    fn bytes_arrive_unchanged_through_a_tunnel() {
        block_on(async {
            let (client, server) = streams().await;
            let (one, other) = tokio::join!(connected(client, true), accepted(server, true));
            let (mut one, mut other) = (one.unwrap(), other.unwrap());
            assert!(one.binding == other.binding && one.binding.len() == BINDING_BYTES);
            let sent: Vec<u8> = (0..3 << 20).map(|at| (at * 7 + at / 251) as u8).collect();
            let mut received = vec![0; sent.len()];
            let (written, read) =
                tokio::join!(one.stream.write_all(&sent), other.stream.read_exact(&mut received));
            written.unwrap();
            read.unwrap();
            assert!(sent == received);
            let tunnel = one.tunnel.unwrap();
            while !tunnel.is_flushed() {
                tokio::task::yield_now().await;
            }
            drop(one.stream);
            assert_eq!(other.stream.read(&mut received).await.unwrap(), 0);
        });
    }

    /// The attacker sits between two ends that know the token, has a session with each, and
    /// forwards their messages.
    #[test]
    fn an_end_between_the_two_that_lacks_the_token_is_refused() {
        block_on(async {
            let (client, towards_client) = streams().await;
            let (towards_server, server) = streams().await;
            let between = async {
                let (near, far) =
                    tokio::join!(accepted(towards_client, true), connected(towards_server, true));
                let (mut near, mut far) = (near.unwrap().stream, far.unwrap().stream);
                let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
            };
            let ends = async {
                let respond = async {
                    respond(connected(client, true).await.unwrap(), TOKEN, 1, 0).await.is_err()
                };
                let challenge = async {
                    challenge(accepted(server, true).await.unwrap(), TOKEN).await.is_err()
                };
                tokio::join!(respond, challenge)
            };
            tokio::select! {
                refused = ends => assert_eq!(refused, (true, true)),
                () = async { between.await; std::future::pending().await } => {}
            }
        });
    }

    #[test]
    fn a_changed_byte_is_found() {
        block_on(async {
            let (client, mut towards_client) = streams().await;
            let (mut towards_server, server) = streams().await;
            let between = async {
                let mut bytes = vec![0; 1 << 16];
                let mut back = vec![0; 1 << 16];
                let mut passed = 0;
                loop {
                    tokio::select! {
                        count = towards_client.read(&mut bytes) => {
                            let count = count.unwrap_or(0);
                            if count == 0 { break }
                            passed += 1;
                            // After the handshake.
                            if passed > 3 { bytes[count - 1] ^= 1 }
                            let _ = towards_server.write_all(&bytes[..count]).await;
                        }
                        count = towards_server.read(&mut back) => {
                            let count = count.unwrap_or(0);
                            if count == 0 { break }
                            let _ = towards_client.write_all(&back[..count]).await;
                        }
                    }
                }
            };
            let ends = async {
                let (one, other) = tokio::join!(connected(client, true), accepted(server, true));
                let (mut one, mut other) = (one.unwrap(), other.unwrap());
                let mut received = [0; 64];
                for _ in 0..8 {
                    let _ = one.stream.write_all(&[7; 64]).await;
                    match other.stream.read_exact(&mut received).await {
                        Ok(_) if received == [7; 64] => {}
                        // Zeros, which are not a frame, or the end.
                        Ok(_) => return received == [0; 64],
                        Err(_) => return true,
                    }
                }
                false
            };
            let (is_found, ()) = tokio::join!(ends, between);
            assert!(is_found);
        });
    }
}
