//! Names whose addresses change while a recipe is imported from them. The test runs again in a network of its own, where its
//! name server decides what is where and a public address belongs to one of its own web servers.

use std::collections::HashMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

use crate::vault::{Database, Folder, PNG};

/// An address of the public internet, in that network one of this machine.
const PUBLIC: Ipv4Addr = Ipv4Addr::new(93, 184, 215, 14);
const INSIDE: Ipv4Addr = Ipv4Addr::LOCALHOST;

/// Set in the network of its own.
const THERE: &str = "RECIPES_TEST_IN_ITS_OWN_NETWORK";

#[test]
fn an_import_reaches_no_address_inside_whatever_a_name_becomes() {
    if std::env::var_os(THERE).is_some() {
        return import_in_its_own_network();
    }
    let folder = Folder::new();
    fs::write(folder.0.join("resolv.conf"), format!("nameserver {INSIDE}\n")).expect("a file");
    fs::write(folder.0.join("nsswitch.conf"), "hosts: files dns\n").expect("a file");
    let script = format!(
        "set -e; ip link set lo up; ip address add {PUBLIC}/32 dev lo
         for file in resolv.conf nsswitch.conf; do mount --bind \"$FOLDER/$file\" /etc/$file; done
         exec \"$0\" --exact rebinding::an_import_reaches_no_address_inside_whatever_a_name_becomes --nocapture"
    );
    let output = Command::new("unshare")
        .args(["--net", "--mount", "sh", "-c", &script])
        .arg(std::env::current_exe().expect("this program"))
        .env("FOLDER", &folder.0)
        .env(THERE, "yes")
        .output()
        .expect("unshare, of util-linux");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn import_in_its_own_network() {
    let names = Names::serve(&[
        ("public.example", &[&[PUBLIC]]),
        ("inside.example", &[&[INSIDE]]),
        ("mixed.example", &[&[PUBLIC, INSIDE]]),
        // Public when it is first asked for, and inside from then on.
        ("page.example", &[&[PUBLIC], &[INSIDE]]),
        ("both.example", &[&[PUBLIC], &[INSIDE]]),
        ("moved.example", &[&[PUBLIC], &[INSIDE]]),
    ]);
    let outside = serve(PUBLIC, |path| match path {
        "/photo.png" => (String::new(), PNG.to_vec()),
        path if path.starts_with("/to/") => {
            (format!("location: http://{}\r\n", path.trim_start_matches("/to/")), Vec::new())
        }
        path => (String::new(), page(path.trim_start_matches('/')).into_bytes()),
    });
    let inside = serve(INSIDE, |_| (String::new(), page("public.example/photo.png").into_bytes()));
    let database = Database::sqlite();
    let mut vault = database.god();
    let mut import = |url: &str| {
        vault.call("import_recipe", json!({ "url": format!("http://{url}"), "on_duplicate": "replace" }))
    };

    // What leads outside every time is imported, with its picture.
    let whole = import("public.example/public.example/photo.png");
    assert_eq!(remarks(&whole), json!(null), "{whole}");
    // One question for one connection: the address that was looked at is the one that is used.
    let pinned = import("page.example/public.example/photo.png");
    assert_eq!((remarks(&pinned), names.asked("page.example")), (json!(null), 1), "{pinned}");
    // The picture is on the host of the page, which is somewhere else by now.
    let without = import("both.example/both.example/photo.png");
    assert!(without.to_string().contains("the picture was left out"), "{without}");
    // Or it is inside from the beginning, or a redirect leads there.
    for picture in
        ["inside.example/photo.png", "mixed.example/photo.png", "public.example/to/inside.example/"]
    {
        let without = import(&format!("public.example/{picture}"));
        assert!(without.to_string().contains("the picture was left out"), "{picture}: {without}");
    }
    // A redirect back to the same host is looked up and looked at again.
    let mut refused = |url: &str| {
        let arguments = json!({ "url": format!("http://{url}") });
        vault.fails("import_recipe", arguments, -32602, &["url", "loopback"]);
    };
    refused("moved.example/to/moved.example/");
    for elsewhere in ["inside.example/", "mixed.example/", "public.example/to/inside.example/"] {
        refused(elsewhere);
    }
    for written in ["127.0.0.1/", "[::1]/", "2130706433/", "public.example/to/0x7f.1/"] {
        refused(written);
    }
    assert!(outside.lock().expect("the list").len() >= 8);
    assert_eq!(*inside.lock().expect("the list"), Vec::<String>::new());
}

/// What was said about the one recipe of a report.
fn remarks(report: &Value) -> Value {
    report["recipes"][0]["remarks"].clone()
}

/// A page with a recipe whose picture is at this address.
fn page(picture: &str) -> String {
    let recipe = json!({ "@type": "Recipe", "name": "Soup", "image": format!("http://{picture}") });
    format!("<script type=\"application/ld+json\">{recipe}</script>")
}

/// Answers with more of a head and a body, or a redirect where the head names a place. The paths that were asked for.
fn serve(
    address: Ipv4Addr,
    answer: impl Fn(&str) -> (String, Vec<u8>) + Send + 'static,
) -> Arc<Mutex<Vec<String>>> {
    let listener = TcpListener::bind((address, 80)).expect("the port");
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let kept = Arc::clone(&asked);
    thread::spawn(move || {
        for mut socket in listener.incoming().flatten() {
            let mut head = [0; 4096];
            let read = socket.read(&mut head).unwrap_or_default();
            let head = String::from_utf8_lossy(&head[..read]).into_owned();
            let path = head.split(' ').nth(1).unwrap_or_default();
            kept.lock().expect("the list").push(path.to_owned());
            let (more, body) = answer(path);
            let status = if more.is_empty() { "200 OK" } else { "302 Found" };
            let head = format!(
                "HTTP/1.1 {status}\r\n{more}content-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            let _ = socket.write_all(head.as_bytes()).and_then(|()| socket.write_all(&body));
        }
    });
    asked
}

/// The addresses of a name: the n-th list is the answer to the n-th question, the last one to all others.
type Answers = &'static [&'static [Ipv4Addr]];

/// A name server, and how often it was asked for the addresses of each name.
struct Names(Arc<Mutex<HashMap<String, usize>>>);

impl Names {
    fn serve(known: &'static [(&'static str, Answers)]) -> Names {
        let socket = UdpSocket::bind((INSIDE, 53)).expect("the port");
        let asked = Arc::<Mutex<HashMap<String, usize>>>::default();
        let counted = Arc::clone(&asked);
        thread::spawn(move || {
            let mut question = [0; 512];
            while let Ok((length, from)) = socket.recv_from(&mut question) {
                let addresses = |name: &str| {
                    let mut counted = counted.lock().expect("the counts");
                    let count = counted.entry(name.to_owned()).or_default();
                    let answers = known.iter().find(|(known, _)| *known == name)?.1;
                    let answer = answers.get(*count).or(answers.last());
                    *count += 1;
                    answer.copied()
                };
                let _ = socket.send_to(&reply(&question[..length], addresses), from);
            }
        });
        Names(asked)
    }

    fn asked(&self, name: &str) -> usize {
        self.0.lock().expect("the counts").get(name).copied().unwrap_or_default()
    }
}

/// The reply to a question of RFC 1035: the addresses, for IPv4, and nothing for everything else. They are not to be kept.
fn reply(question: &[u8], addresses: impl Fn(&str) -> Option<&'static [Ipv4Addr]>) -> Vec<u8> {
    const HEADER: usize = 12;
    const A: [u8; 2] = [0, 1];
    let (mut labels, mut at) = (Vec::new(), HEADER);
    while question[at] != 0 {
        let end = at + 1 + usize::from(question[at]);
        labels.push(String::from_utf8_lossy(&question[at + 1..end]).to_lowercase());
        at = end;
    }
    let found = if question[at + 1..at + 3] == A { addresses(&labels.join(".")) } else { None };
    let found = found.unwrap_or_default();
    let count = u8::try_from(found.len()).expect("few");
    // The same id; a reply, with recursion; one question and as many answers as there are.
    let mut reply =
        [&question[..2], &[0x81, 0x80, 0, 1, 0, count, 0, 0, 0, 0], &question[HEADER..at + 5]].concat();
    for address in found {
        // The name of the question, type A, class IN, for no time at all, four bytes.
        reply.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4]);
        reply.extend(address.octets());
    }
    reply
}
