//! What clients see of the server `authy`.

#[test]
fn the_surface_is_what_its_snapshots_say() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/surface");
    mcp_testkit::surface::check(authy::server(authy::Config::Client(None)), folder);
}
