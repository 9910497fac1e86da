//! The names of properties, which X servers know by number.

#![allow(
    missing_docs,
    non_snake_case,
    reason = "written by the macro of x11rb, which asks for all numbers at once"
)]

x11rb::atom_manager! {
    pub(super) Atoms: AtomsCookie {
        WM_STATE,
        _NET_ACTIVE_WINDOW,
        _NET_CLIENT_LIST,
        _NET_CLIENT_LIST_STACKING,
        _NET_CURRENT_DESKTOP,
        _NET_SUPPORTING_WM_CHECK,
        _NET_WM_DESKTOP,
        _NET_WM_NAME,
        _NET_WM_OPAQUE_REGION,
        _NET_WM_PID,
        _NET_WM_STATE,
        _NET_WM_STATE_HIDDEN,
        _NET_WM_WINDOW_OPACITY,
    }
}
