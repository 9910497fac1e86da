//! What clients see of the server `info`.

#[test]
fn info_is_what_its_snapshot_says() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/surface");
    mcp_testkit::surface::check(deskmate::info::server(deskmate::servers::ALL), folder);
}
