//! What lies beside the packages: sums and the SBOM.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::built::{VERSION, download, said, work};

#[test]
fn every_download_has_its_sum() {
    let checked =
        said(Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(work("out")));
    let files = fs::read_dir(work("out")).expect("a folder").count();
    assert_eq!(checked.lines().filter(|line| line.ends_with(": OK")).count(), files - 1, "{checked}");
}

/// A document of CycloneDX 1.5, of which every reference leads somewhere, with a licence and a sum for all that is not ours.
#[test]
fn the_sbom_names_every_crate_of_every_program() {
    let text = fs::read(download("deskmate-", ".cdx.json")).expect("an SBOM");
    let sbom: Value = serde_json::from_slice(&text).expect("JSON");
    assert_eq!((&sbom["bomFormat"], &sbom["specVersion"]), (&"CycloneDX".into(), &"1.5".into()));
    let components = sbom["components"].as_array().expect("components");
    let known: Vec<&str> = components.iter().filter_map(|one| one["bom-ref"].as_str()).collect();
    for program in
        ["deskmate", "authy", "metatag-genie", "vision-mcp", "recipe-vault", "fotos-mcp", "fotos-desktop"]
    {
        let own = format!("program:{program}");
        assert!(known.contains(&own.as_str()), "{program}");
        let depends = sbom["dependencies"]
            .as_array()
            .expect("dependencies")
            .iter()
            .find(|one| one["ref"] == own.as_str());
        let crates = depends.and_then(|one| one["dependsOn"].as_array()).expect("what it is made of");
        assert!(crates.len() > 30, "{program}: {}", crates.len());
        assert!(crates.iter().all(|one| one.as_str().is_some_and(|one| known.contains(&one))), "{program}");
    }
    for component in components.iter().filter(|one| one["type"] == "library") {
        assert!(component["licenses"].is_array(), "{component}");
        assert!(component["version"] == VERSION || component["hashes"][0]["alg"] == "SHA-256", "{component}");
    }
}
