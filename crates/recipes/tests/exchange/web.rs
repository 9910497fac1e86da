//! Pages over HTTP, from a server of the test.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};

use fetch::{Access, Client};
use recipes::import::{fetch_page, fetch_picture, fetcher, read_text};

/// Answers every connection with the same bytes until the test ends.
fn serve(kind: &'static str, body: Vec<u8>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for mut socket in listener.incoming().flatten() {
            let _ = socket.read(&mut [0; 4096]);
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            let _ = socket.write_all(head.as_bytes()).and_then(|()| socket.write_all(&body));
        }
    });
    address
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(work)
}

#[test]
fn private_addresses_are_refused() {
    let address = serve(
        "text/html",
        b"<script type='application/ld+json'>{\"@type\":\"Recipe\",\"name\":\"X\"}</script>".to_vec(),
    );
    run(async {
        let client = fetcher().expect("a client");
        for host in
            [address.to_string(), format!("localhost:{}", address.port()), "169.254.169.254".to_owned()]
        {
            assert!(fetch_page(&client, &format!("http://{host}/")).await.is_err(), "{host}");
            assert!(fetch_picture(&client, &format!("http://{host}/")).await.is_err(), "{host}");
        }
        for odd in ["file:///etc/passwd", "ftp://example.org/", "not an address"] {
            assert!(fetch_page(&client, odd).await.is_err(), "{odd}");
        }
    });
}

#[test]
fn a_page_in_an_old_character_set_is_read() {
    let mut html = b"<script type='application/ld+json'>{\"@type\":\"Recipe\",\"name\":\"Cr".to_vec();
    html.push(0xe8);
    html.extend_from_slice(b"me\"}</script>");
    let address = serve("text/html; charset=ISO-8859-1", html);
    run(async {
        let client = Client::builder(Access::public().allow_private("127.0.0.1")).build().expect("a client");
        let (text, source) = fetch_page(&client, &format!("http://{address}/recipe")).await.expect("a page");
        let found = read_text(&text, Some(&source)).expect("a recipe");
        assert_eq!(found.recipes[0].draft.title.as_str(), "Crème");
        assert!(
            found.recipes[0].draft.source_url.as_ref().is_some_and(|url| url.as_str().ends_with("/recipe"))
        );
    });
}
