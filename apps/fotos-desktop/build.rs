//! Tauri's part of the build: icons and configuration.

fn main() {
    // On Windows, a program with windows is started without a console beside it.
    if std::env::var_os("CARGO_CFG_WINDOWS").is_some() {
        println!("cargo::rustc-link-arg-bins=-Wl,--subsystem,windows");
    }
    tauri_build::build();
}
