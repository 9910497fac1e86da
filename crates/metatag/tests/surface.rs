//! What clients see of the server `MetaTagGenie`.

#[test]
fn the_surface_is_what_its_snapshots_say() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/surface");
    mcp_testkit::surface::check(metatag::server(metatag::Config::default()), folder);
}
