//! What clients see of the server `recipe-vault`.

#[test]
fn the_surface_is_what_its_snapshots_say() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/surface");
    let config = recipes::Config::from_environment(|_| None);
    mcp_testkit::surface::check(recipes::server(config), folder);
}
