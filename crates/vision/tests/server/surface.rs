//! What clients see of the server `zai-mcp-server`.

#[test]
fn the_surface_is_what_its_snapshots_say() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/surface");
    mcp_testkit::surface::check(vision::server(vision::Config::default()), folder);
}
