//! Paths as Windows has them: drives, shares, and the names that mean something else than a file. Plain text, nothing is looked up.

/// Names of devices, in every folder and with any extension.
const DEVICES: [&str; 7] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"];

/// Where an absolute path starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start<'a> {
    /// A drive, by its letter.
    Drive(char),
    /// A folder of another machine. To look at it is to log in there.
    Share { server: &'a str, share: &'a str },
}

impl Start<'_> {
    /// Whether both are the same place; letter case does not matter.
    pub(super) fn is(&self, other: &Start<'_>) -> bool {
        match (self, other) {
            (Start::Drive(one), Start::Drive(two)) => one.eq_ignore_ascii_case(two),
            (Start::Share { server, share }, Start::Share { server: on, share: folder }) => {
                server.to_lowercase() == on.to_lowercase() && share.to_lowercase() == folder.to_lowercase()
            }
            (Start::Drive(_), Start::Share { .. }) | (Start::Share { .. }, Start::Drive(_)) => false,
        }
    }
}

/// Why a path does not simply name a file or a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Odd {
    /// It depends on the folder or the drive this process is in.
    Relative,
    /// It names a device, a pipe or a volume.
    Device,
    /// It names an alternate stream of a file.
    Stream,
    /// Windows leaves out the end of the name, so it is another file than it says.
    Ending,
}

/// Where a path starts, if it simply names a file or a folder.
pub(super) fn start(path: &str) -> Result<Start<'_>, Odd> {
    let (start, rest, separators) = split(path)?;
    for name in rest.split(separators) {
        check_name(name)?;
    }
    Ok(start)
}

/// The start of a path, what follows it, and what separates names in that.
fn split(path: &str) -> Result<(Start<'_>, &str, &'static [char]), Odd> {
    const BOTH: &[char] = &['\\', '/'];
    // Behind this prefix nothing is interpreted: a slash would be part of a name.
    if let Some(literal) = path.strip_prefix(r"\\?\") {
        if literal.contains('/') {
            return Err(Odd::Device);
        }
        return match literal.get(..4) {
            Some(unc) if unc.eq_ignore_ascii_case(r"UNC\") => {
                share(&literal[4..], &['\\']).map(|(start, rest)| (start, rest, ['\\'].as_slice()))
            }
            _ => match drive(literal, &['\\']) {
                Some((start, rest)) => Ok((start, rest, ['\\'].as_slice())),
                None => Err(Odd::Device),
            },
        };
    }
    if let Some((start, rest)) = drive(path, BOTH) {
        return Ok((start, rest, BOTH));
    }
    let mut letters = path.chars();
    let begins_with_two =
        [letters.next(), letters.next()].iter().all(|letter| matches!(letter, Some('\\' | '/')));
    if !begins_with_two {
        return Err(Odd::Relative);
    }
    share(&path[2..], BOTH).map(|(start, rest)| (start, rest, BOTH))
}

fn drive<'a>(path: &'a str, separators: &[char]) -> Option<(Start<'a>, &'a str)> {
    let mut letters = path.chars();
    let letter = letters.next().filter(char::is_ascii_alphabetic)?;
    let is_rooted =
        letters.next() == Some(':') && letters.next().is_some_and(|next| separators.contains(&next));
    is_rooted.then(|| (Start::Drive(letter), &path[3..]))
}

fn share<'a>(path: &'a str, separators: &[char]) -> Result<(Start<'a>, &'a str), Odd> {
    let mut parts = path.splitn(3, separators);
    let (server, share) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    // `\\.\` and `\\?\` lead to devices; `\\server` alone is no folder.
    if server.is_empty()
        || share.is_empty()
        || matches!(server, "." | "?")
        || share.eq_ignore_ascii_case("pipe")
    {
        return Err(Odd::Device);
    }
    check_name(server)?;
    check_name(share)?;
    Ok((Start::Share { server, share }, parts.next().unwrap_or_default()))
}

fn check_name(name: &str) -> Result<(), Odd> {
    if matches!(name, "" | "." | "..") {
        return Ok(());
    }
    if name.contains(':') {
        return Err(Odd::Stream);
    }
    if name.ends_with(['.', ' ']) {
        return Err(Odd::Ending);
    }
    if is_device(name) { Err(Odd::Device) } else { Ok(()) }
}

/// Whether a name means a device: what comes behind the first dot does not matter, and neither do spaces before it.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end_matches(' ').to_uppercase();
    let numbered = |kind: &str| {
        let mut number = stem.strip_prefix(kind).unwrap_or_default().chars();
        matches!((number.next(), number.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
    };
    DEVICES.contains(&stem.as_str()) || numbered("COM") || numbered("LPT")
}

/// More links than Windows follows on one way.
const MOST_LINKS: usize = 63;

/// Whether everything on the way to a path may be looked at: `may` says that of a start, and `link` gives what a link on the way leads
/// to. A link can lead to another machine as well as a path can.
pub(super) fn may_go(
    path: &str,
    may: impl Fn(&Start<'_>) -> bool,
    link: impl Fn(&str) -> Option<String>,
) -> bool {
    if !start(path).is_ok_and(|start| may(&start)) {
        return false;
    }
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Some(next) = behind_first_link(&path, &link) else { return true };
        let is_fine = match split(&next) {
            Ok((start, ..)) => may(&start),
            // A disk that has a folder for its drive.
            Err(_) => volume(&next).is_some(),
        };
        if !is_fine {
            return false;
        }
        path = next;
    }
    false
}

/// Where a path leads behind the first link on it; nothing if there is none.
fn behind_first_link(path: &str, link: impl Fn(&str) -> Option<String>) -> Option<String> {
    const BOTH: [char; 2] = ['\\', '/'];
    let rest = split(path).map(|(_, rest, _)| rest).ok().or_else(|| volume(path))?;
    let root = path.len() - rest.len();
    let ends = rest.match_indices(BOTH).map(|(at, _)| root + at).chain([path.len()]);
    ends.filter(|end| *end > root).find_map(|end| {
        let (way, rest) = path.split_at(end);
        let target = link(way)?;
        let slashes = target.chars().take_while(|letter| BOTH.contains(letter)).count();
        let (folder, target) = match slashes {
            0 if drive(&target, &BOTH).is_none() => {
                (&way[..way.rfind(BOTH).map_or(root, |at| at + 1)], target.as_str())
            }
            // From the root of this drive.
            1 => (&path[..root], &target[1..]),
            _ => ("", target.as_str()),
        };
        let target = if rest.is_empty() { target } else { target.trim_end_matches(BOTH) };
        Some(format!("{folder}{target}{rest}"))
    })
}

/// What follows the name of a volume, where a path starts with one.
fn volume(path: &str) -> Option<&str> {
    let name = path.strip_prefix(r"\\?\")?;
    let is_volume = name.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("Volume{"));
    name.split_once('\\').filter(|_| is_volume).map(|(_, rest)| rest)
}

/// The same path without the prefix that keeps Windows from interpreting it; as it is, where it has none.
pub(super) fn without_prefix(path: &str) -> String {
    match path.strip_prefix(r"\\?\") {
        Some(rest) => match rest.get(..4) {
            Some(unc) if unc.eq_ignore_ascii_case(r"UNC\") => format!(r"\\{}", &rest[4..]),
            _ if drive(rest, &['\\']).is_some() => rest.to_owned(),
            _ => path.to_owned(),
        },
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Odd, Start, may_go, start, without_prefix};

    #[track_caller]
    fn check(path: &str, expected: Result<Start<'_>, Odd>) {
        assert_eq!(start(path), expected, "{path}");
    }

    #[test]
    fn drives_and_shares_are_where_paths_start() {
        check(r"C:\", Ok(Start::Drive('C')));
        check(r"c:\Users\Ada\a b.jpg", Ok(Start::Drive('c')));
        check("C:/Users/../Ada/.hidden", Ok(Start::Drive('C')));
        check(r"\\?\D:\deep", Ok(Start::Drive('D')));
        let nas = Start::Share { server: "nas", share: "photos" };
        for path in
            [r"\\nas\photos", r"\\nas\photos\a.jpg", "//nas/photos/a.jpg", r"\\?\UNC\nas\photos\a.jpg"]
        {
            check(path, Ok(nas));
        }
        assert!(nas.is(&Start::Share { server: "NAS", share: "Photos" }));
        assert!(!nas.is(&Start::Share { server: "nas", share: "other" }) && !nas.is(&Start::Drive('n')));
        assert!(Start::Drive('c').is(&Start::Drive('C')));
    }

    #[test]
    fn paths_that_depend_on_where_we_are_have_no_start() {
        for path in ["", "a.jpg", r"\a.jpg", "/a.jpg", "C:", "C:a.jpg", r"..\a.jpg", r"1:\a", r"é:\a"] {
            check(path, Err(Odd::Relative));
        }
    }

    #[test]
    fn devices_are_no_files_wherever_they_are_named() {
        for path in [
            r"C:\CON",
            r"C:\photos\nul.jpg",
            r"C:\photos\Aux .tar.gz",
            r"C:\COM1\a.jpg",
            r"C:\com¹",
            r"C:\LPT0.txt",
            r"C:\conin$",
            r"\\.\C:\a.jpg",
            r"\\.\pipe\fotos",
            r"//./pipe/fotos",
            r"\\nas\pipe\lsarpc",
            r"\\?\GLOBALROOT\Device\HarddiskVolume1\a",
            r"\\?\Volume{0}\a",
            r"\\?\C:\a/b",
            r"\\?\pipe\a",
            r"\\nas",
            r"\\",
        ] {
            check(path, Err(Odd::Device));
        }
        for path in [r"C:\console", r"C:\COM", r"C:\COM10", r"C:\a.con", r"C:\lpt1st"] {
            check(path, Ok(Start::Drive('C')));
        }
    }

    #[test]
    fn streams_and_names_that_windows_shortens_are_refused() {
        for path in
            [r"C:\a.jpg:hidden", r"C:\a.jpg::$DATA", r"C:\folder:$I30:$INDEX_ALLOCATION\a", r"\\?\C:\a:b"]
        {
            check(path, Err(Odd::Stream));
        }
        for path in [r"C:\a.jpg.", r"C:\a.jpg ", r"C:\folder.\a.jpg", r"C:\...", r"\\?\C:\a."] {
            check(path, Err(Odd::Ending));
        }
    }

    #[test]
    fn the_prefix_of_a_real_path_is_left_out() {
        for (path, plain) in [
            (r"\\?\C:\a", r"C:\a"),
            (r"\\?\UNC\nas\photos\a", r"\\nas\photos\a"),
            (r"\\?\Volume{0}\a", r"\\?\Volume{0}\a"),
            (r"C:\a", r"C:\a"),
        ] {
            assert_eq!(without_prefix(path), plain);
        }
    }

    /// Where links lead, on a machine on which only drives and `\\nas\photos` may be looked at.
    #[track_caller]
    fn check_way(path: &str, links: &[(&str, &str)], expected: bool) {
        let nas = Start::Share { server: "nas", share: "photos" };
        let may = |start: &Start<'_>| matches!(start, Start::Drive(_)) || start.is(&nas);
        let link = |way: &str| {
            assert!(!way.to_lowercase().contains("evil"), "{way} was looked at");
            links.iter().find(|(name, _)| *name == way).map(|(_, target)| (*target).to_owned())
        };
        assert_eq!(may_go(path, may, link), expected, "{path} {links:?}");
    }

    #[test]
    fn a_link_to_another_machine_is_not_followed() {
        check_way(r"C:\root\a.jpg", &[], true);
        check_way(r"\\evil\share\a.jpg", &[], false);
        check_way(r"C:\root\a.jpg:b", &[], false);
        for target in [
            r"\\evil\share",
            r"\\?\UNC\evil\share",
            r"\\.\UNC\evil\share",
            r"\\?\GLOBALROOT\Device\Mup\evil\share",
            r"\\evil@80\share",
            "//evil/share",
            r"\\evil",
        ] {
            check_way(r"C:\root\link", &[(r"C:\root\link", target)], false);
            check_way(r"C:\root\link\a.jpg", &[(r"C:\root\link", target)], false);
            check_way("C:/root/link/a.jpg", &[("C:/root/link", target)], false);
            let over_others =
                [(r"C:\root\a", r"..\b"), (r"C:\root\..\b", r"\c"), (r"C:\c", r"D:\d"), (r"D:\d\e", target)];
            check_way(r"C:\root\a\e\f.jpg", &over_others, false);
            let volume = r"\\?\Volume{01}\";
            check_way(r"C:\disk\e", &[(r"C:\disk", volume), (r"\\?\Volume{01}\e", target)], false);
        }
        for target in [r"D:\photos", r"..\photos", r"\photos", r"\\NAS\Photos\2026", r"\\?\Volume{01}\"] {
            check_way(r"C:\root\link\a.jpg", &[(r"C:\root\link", target)], true);
        }
        // One that leads to itself leads nowhere.
        check_way(r"C:\loop", &[(r"C:\loop", r"C:\loop")], false);
    }
}
