//! A server of the test: it says what it is told to, and remembers what it was asked.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use fetch::{Access, Client, Limits};

pub(crate) struct Origin {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Origin {
    /// Answers request number n with `answer(n, head)`, and closes the connection.
    pub(crate) async fn start(answer: impl Fn(usize, &str) -> Vec<u8> + Send + Sync + 'static) -> Origin {
        Origin::accept(answer, |stream| async move { Some(stream) }).await
    }

    /// The same over TLS. A client that does not like the certificate has not asked for anything.
    pub(crate) async fn start_tls(
        config: rustls::ServerConfig,
        answer: impl Fn(usize, &str) -> Vec<u8> + Send + Sync + 'static,
    ) -> Origin {
        let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
        Origin::accept(answer, move |stream| {
            let accepting = acceptor.accept(stream);
            async move { accepting.await.ok() }
        })
        .await
    }

    async fn accept<S, F>(
        answer: impl Fn(usize, &str) -> Vec<u8> + Send + Sync + 'static,
        open: impl Fn(TcpStream) -> F + Send + Sync + 'static,
    ) -> Origin
    where
        S: AsyncRead + AsyncWrite + Unpin + Send,
        F: Future<Output = Option<S>> + Send,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let seen = Arc::new(Mutex::new(Vec::new()));
        let remembered = Arc::clone(&seen);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Some(stream) = open(stream).await else { continue };
                let head = read(stream, |head| {
                    let mut seen = remembered.lock().expect("no panic");
                    seen.push(head.to_owned());
                    answer(seen.len() - 1, head)
                });
                head.await;
            }
        });
        Origin { address, seen }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The heads and bodies of the requests so far.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().expect("no panic").clone()
    }
}

async fn read(mut stream: impl AsyncRead + AsyncWrite + Unpin, answer: impl FnOnce(&str) -> Vec<u8>) {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    while !is_whole(&bytes) {
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return,
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
        }
    }
    // The client may hang up before it has read everything; that is its right.
    let _ = stream.write_all(&answer(&String::from_utf8_lossy(&bytes))).await;
    let _ = stream.shutdown().await;
}

fn is_whole(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    body.len() >= length.unwrap_or(0)
}

/// An answer with a body and its length.
pub(crate) fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head =
        format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// A client that may reach loopback by its address, and does not wait long between tries.
pub(crate) fn client() -> Client {
    let limits = Limits { first_wait: std::time::Duration::from_millis(1), ..Limits::default() };
    let builder = Client::builder(Access::public().allow_private("127.0.0.1")).limits(limits);
    builder.build().expect("a client")
}
