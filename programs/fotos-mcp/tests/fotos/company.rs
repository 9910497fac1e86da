//! Models in a company: its proxy leads out, and shows certificates of its own root.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::json;

use crate::display::Display;
use crate::fotos::{Fotos, command};

/// A name that nobody but the proxy can find.
const HOST: &str = "models.company.example";

/// A root of the company, in a file, and what a server below it needs.
fn certificates(name: &str) -> (PathBuf, ServerConfig) {
    let mut root = CertificateParams::default();
    root.distinguished_name.push(DnType::CommonName, "the company");
    root.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let root_key = KeyPair::generate().expect("a key");
    let shown = root.self_signed(&root_key).expect("a root");
    let (leaf, leaf_key) =
        (CertificateParams::new([HOST.to_owned()]).expect("a name"), KeyPair::generate().expect("a key"));
    let leaf = leaf.signed_by(&leaf_key, &Issuer::from_params(&root, &root_key)).expect("a certificate");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}.pem", std::process::id()));
    std::fs::write(&path, pem(shown.der())).expect("a file");
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(
            vec![leaf.der().clone()],
            PrivateKeyDer::try_from(leaf_key.serialize_der()).expect("a key"),
        )
        .expect("a chain and its key");
    (path, config)
}

fn pem(der: &[u8]) -> String {
    let text = base64_simd::STANDARD.encode_to_string(der);
    format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n")
}

/// A proxy that leads to a provider of its own. It tells what it was asked: where to, and then the first line and the key of what
/// came through.
fn proxy(config: ServerConfig) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let (asked, news) = channel();
    let config = Arc::new(config);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A client that does not trust us hangs up.
            let _ = serve(stream, Arc::clone(&config), &asked);
        }
    });
    (address, news)
}

fn head(reader: &mut impl BufRead) -> std::io::Result<Vec<String>> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            return Ok(lines);
        }
        lines.push(line.trim().to_owned());
    }
}

fn serve(stream: TcpStream, config: Arc<ServerConfig>, asked: &Sender<String>) -> std::io::Result<()> {
    let lines = head(&mut BufReader::new(stream.try_clone()?))?;
    let _ = asked.send(lines.first().cloned().unwrap_or_default());
    let mut stream = stream;
    stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
    let connection = ServerConnection::new(config).map_err(std::io::Error::other)?;
    let mut secure = BufReader::new(StreamOwned::new(connection, stream));
    let lines = head(&mut secure)?;
    let value =
        |name: &str| lines.iter().find_map(|line| line.to_lowercase().strip_prefix(name).map(str::to_owned));
    let length: usize = value("content-length: ").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    secure.read_exact(&mut body)?;
    let _ = asked.send(format!("{} {}", lines[0], value("x-api-key: ").unwrap_or_default()));
    let answer = json!({
        "id": "1", "type": "message", "role": "assistant", "model": "company-eyes", "stop_reason": "end_turn",
        "content": [{ "type": "text", "text": "A screen" }], "usage": { "input_tokens": 1, "output_tokens": 1 },
    })
    .to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        answer.len()
    );
    let out = secure.get_mut();
    out.write_all((head + &answer).as_bytes())?;
    out.flush()
}

#[test]
fn models_are_reached_through_the_proxy_and_by_the_roots_of_this_machine() {
    let (root, config) = certificates("company");
    let (address, asked) = proxy(config);
    let display = Display::bare();
    let mut desk = command();
    desk.env("DISPLAY", &display.name)
        .env("ANTHROPIC_BASE_URL", format!("https://{HOST}"))
        .env("ANTHROPIC_API_KEY", "key-of-ada")
        .env("HTTPS_PROXY", &address)
        .env("SSL_CERT_FILE", &root);
    for name in ["NO_PROXY", "no_proxy", "SSL_CERT_DIR"] {
        desk.env_remove(name);
    }
    let told = Fotos::with(&mut desk).data_of("analyze_screenshot", json!({}));
    assert_eq!((&told["text"], &told["model"]), (&json!("A screen"), &json!("company-eyes")));
    let seen = [(); 2].map(|()| asked.recv().expect("news"));
    assert_eq!(
        seen,
        [format!("CONNECT {HOST}:443 HTTP/1.1"), "POST /v1/messages HTTP/1.1 key-of-ada".to_owned()]
    );
    // Another root than that of the proxy: nothing is told, the key least of all.
    let (other, _) = certificates("stranger");
    let refused = Fotos::with(desk.env("SSL_CERT_FILE", &other)).failure("analyze_screenshot", json!({}));
    assert!(refused.to_lowercase().contains("certificate"), "{refused}");
    // It may have been tried more than once.
    let seen: Vec<String> = asked.try_iter().collect();
    assert!(!seen.is_empty() && seen.iter().all(|line| line.starts_with("CONNECT")), "{seen:?}");
    // Who is named in `NO_PROXY` is not asked for by way of it; the name is nobody's.
    let direct = Fotos::with(desk.env("NO_PROXY", HOST)).failure("analyze_screenshot", json!({}));
    assert!(direct.contains(HOST), "{direct}");
    assert!(asked.try_recv().is_err());
    for path in [root, other] {
        std::fs::remove_file(path).expect("removed");
    }
}
