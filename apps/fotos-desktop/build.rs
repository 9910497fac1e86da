//! Tauri's part of the build: icons and configuration.

fn main() {
    tauri_build::build();
}
