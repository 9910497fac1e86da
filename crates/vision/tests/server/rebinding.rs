//! A name that leads somewhere else whenever it is asked for, as an attacker's does who owns a domain.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use fetch::{Resolver, Resolving};
use mcp_testkit::Client;
use serde_json::{Value, json};
use vision::Config;

/// A PNG of one red pixel.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0c\
IDATx\x9cc\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82";

/// Gives the n-th answer to the n-th question, and the last one from then on.
struct Rebinding {
    answers: Vec<Vec<IpAddr>>,
    asked: Mutex<Vec<String>>,
}

impl Rebinding {
    fn new(answers: &[&[&str]]) -> Arc<Rebinding> {
        let parse = |list: &&[&str]| list.iter().map(|text| text.parse().expect("an address")).collect();
        Arc::new(Rebinding { answers: answers.iter().map(parse).collect(), asked: Mutex::default() })
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Resolver for Rebinding {
    fn resolve(&self, host: &str) -> Resolving {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = self.answers[asked.len().min(self.answers.len() - 1)].clone();
        asked.push(host.to_owned());
        Box::pin(async move { Ok(answer) })
    }
}

/// A place that gives this answer to everybody, and counts them.
struct Place {
    address: SocketAddr,
    visits: Arc<AtomicUsize>,
}

impl Place {
    fn open(address: impl Into<SocketAddr>, answer: Vec<u8>) -> Place {
        let listener = TcpListener::bind(address.into()).expect("a port");
        let (address, visits) = (listener.local_addr().expect("an address"), Arc::new(AtomicUsize::new(0)));
        let counted = Arc::clone(&visits);
        std::thread::spawn(move || {
            for mut visitor in listener.incoming().map_while(Result::ok) {
                counted.fetch_add(1, Ordering::SeqCst);
                let _ = visitor.read(&mut [0; 4096]);
                let _ = visitor.write_all(&answer);
            }
        });
        Place { address, visits }
    }

    fn visits(&self) -> usize {
        self.visits.load(Ordering::SeqCst)
    }
}

fn picture() -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", PNG.len());
    [head.as_bytes(), PNG].concat()
}

/// What the server says to a call with a picture at this address, if only `album.example` may be private.
fn look_at(url: &str, names: &Arc<Rebinding>) -> Value {
    let resolver: Arc<dyn Resolver> = Arc::<Rebinding>::clone(names);
    let config = Config { resolver, allowed_hosts: vec!["album.example".to_owned()], ..Config::default() };
    let arguments = json!({ "image_source": url, "prompt": "What is it?", "provider": "local" });
    Client::memory(vision::server(config)).call("analyze_image", arguments)
}

#[test]
fn the_address_that_was_checked_is_the_one_the_picture_comes_from() {
    let album = Place::open(([127, 0, 0, 1], 0), picture());
    let trap = Place::open(([127, 0, 0, 2], album.address.port()), picture());
    // Whoever looked twice, once to check and once to connect, would end in the trap.
    let names = Rebinding::new(&[&["127.0.0.1"], &["127.0.0.2"]]);
    let seen = look_at(&format!("http://album.example:{}/a.png", album.address.port()), &names);
    let text = seen["content"][0]["text"].as_str().expect("a text");
    assert!(text.contains("1 × 1 pixels"), "{seen}");
    assert_eq!(names.asked(), ["album.example"]);
    assert_eq!((album.visits(), trap.visits()), (1, 0));
}

#[test]
fn a_redirect_to_a_name_that_has_become_private_is_refused() {
    let moved =
        b"HTTP/1.1 302 Found\r\nlocation: http://rebinding.example/a.png\r\ncontent-length: 0\r\n\r\n";
    let album = Place::open(([127, 0, 0, 1], 0), moved.to_vec());
    let url = format!("http://album.example:{}/a.png", album.address.port());
    for turned in [&["169.254.169.254"][..], &["8.8.8.8", "127.0.0.1"], &["::ffff:10.0.0.1"]] {
        let names = Rebinding::new(&[&["127.0.0.1"], turned]);
        let refused = look_at(&url, &names);
        assert_eq!(refused["isError"], json!(true), "{refused}");
        let message = refused["content"][0]["text"].as_str().expect("a message");
        assert!(message.contains("rebinding.example") && message.contains("public"), "{message}");
        assert_eq!(names.asked(), ["album.example", "rebinding.example"]);
    }
}
