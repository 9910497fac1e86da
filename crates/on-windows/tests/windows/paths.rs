//! Paths as Windows has them, given to a tool that writes: what means something else than a file under a root is refused.

use std::fs;

use mcp::Version;
use mcp_testkit::Client;
use picture::{Effort, Pixels};
use serde_json::{Value, json};

use crate::running::Person;

fn tag(genie: &mut Client, path: &str) -> Value {
    let arguments = json!({ "filePath": path, "metadata": { "tags": ["red"] } });
    genie.request("tools/call", json!({ "name": "writeImageMetadata", "arguments": arguments }))
}

#[test]
fn a_picture_is_found_however_it_is_spelled_and_devices_streams_and_shares_are_refused() {
    let person = Person::new();
    let png = Pixels::plain(8, 8, [200, 30, 40]).png(Effort::Fast).expect("a PNG");
    let picture = person.folder.file("Red.png", &png);
    let root = person.folder.as_path().to_str().expect("text");
    let mut command = person.command("metatag-genie", &[]);
    command.env("DESKMATE_ROOTS", root).current_dir(root);
    let mut genie = Client::process(&mut command).speaking(Version::MODERN);

    let name = |name: &str| format!(r"{root}\{name}");
    for path in
        [picture.clone(), picture.to_uppercase(), picture.replace('\\', "/"), format!(r"\\?\{picture}")]
    {
        let answer = tag(&mut genie, &path);
        assert!(answer["result"].is_object() && answer["result"]["isError"] != true, "{path}: {answer}");
    }
    let tagged = fs::read(&picture).expect("the picture");
    assert_ne!(tagged, png);

    // Of the drive and of the working folder of the process, which is the root.
    let drive = &root[..2];
    let refused = [
        "Red.png".to_owned(),
        format!("{drive}Red.png"),
        picture[2..].to_owned(),
        name("Red.png:stream"),
        name("Red.png::$DATA"),
        name("Red.png."),
        name("Red.png "),
        name("NUL"),
        name("con.png"),
        name("COM1.png"),
        name(r"..\..\outside.png"),
        format!(r"\\.\{picture}"),
        format!(r"\\?\{root}\sub/../Red.png"),
        format!(r"\\?\GLOBALROOT\DosDevices\{picture}"),
        format!(r"\\localhost\{}${}", &drive[..1], &picture[2..]),
        format!(r"\\?\UNC\localhost\{}${}", &drive[..1], &picture[2..]),
        r"\\.\pipe\deskmate".to_owned(),
        r"\\.\PhysicalDrive0".to_owned(),
    ];
    for path in refused {
        let answer = tag(&mut genie, &path);
        assert!(answer["error"].is_object() || answer["result"]["isError"] == true, "{path}: {answer}");
    }
    assert_eq!(fs::read(&picture).expect("the picture"), tagged);
    assert_eq!(genie.hang_up().code, Some(0));
}
