//! One server with its data.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::programs;

/// Starts the server, says so, and stops it when nobody holds the other end of its input any more: also when the test was
/// killed. `$1` is the folder of the programs, `$2` the server's, `$3` what it is started with.
const KEEPER: &str = r#"
"$1/pg_ctl" -D "$2/data" -l "$2/log" -w -t 60 -o "$3" start </dev/null >/dev/null 2>&1 && echo ready || cat "$2/log"
cat >/dev/null
"$1/pg_ctl" -D "$2/data" -m immediate stop >/dev/null 2>&1
rm -rf "$2"
"#;

/// What every server is started with besides its socket: small, quick, and not careful with what a test leaves behind.
const SETTINGS: &str = "-c listen_addresses='' -c fsync=off -c shared_buffers=16MB -c max_connections=60 -c \
     autovacuum=off -c max_wal_senders=4 -c wal_level=replica -c hot_standby=on";

/// Of Unix sockets, which are in folders of their own.
const USUAL_PORT: u16 = 5432;

/// What a certificate for tests says: `localhost`, and no authority over others.
const REQUEST: &str = "[req]\ndistinguished_name=dn\nx509_extensions=ext\nprompt=no\n[dn]\nCN=localhost\n[ext]\n\
     basicConstraints=critical,CA:FALSE\nsubjectAltName=DNS:localhost,IP:127.0.0.1\n";

/// A PostgreSQL server.
#[derive(Debug)]
pub struct Server {
    folder: PathBuf,
    port: u16,
    keeper: Child,
    databases: AtomicUsize,
}

impl Server {
    /// An empty server of its own.
    pub fn start() -> Server {
        let folder = new_folder();
        let mut copy = programs::command("cp");
        programs::run(copy.arg("-a").arg(template()).arg(folder.join("data")));
        Server::in_folder(folder, USUAL_PORT, "").expect("PostgreSQL starts")
    }

    /// An empty server of its own that also listens on loopback, with TLS. [`Server::certificate`] signed itself.
    pub fn start_with_tls() -> Server {
        // A port that is free now may be taken when the server asks for it.
        let started = (0..5).find_map(|_| {
            let folder = new_folder();
            let mut copy = programs::command("cp");
            programs::run(copy.arg("-a").arg(template()).arg(folder.join("data")));
            let make = r#"printf %s "$2" >"$1/req.conf" && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 \
                -nodes -days 2 -config "$1/req.conf" -keyout "$1/data/server.key" -out "$1/data/server.crt""#;
            let mut certify = programs::command("sh");
            programs::run(certify.args(["-c", make, "certify"]).arg(&folder).arg(REQUEST));
            let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr());
            let port = port.expect("a port").port();
            Server::in_folder(folder, port, "-c ssl=on -c listen_addresses=127.0.0.1")
        });
        started.expect("PostgreSQL starts with TLS")
    }

    /// The certificate of a server with TLS, a PEM file.
    pub fn certificate(&self) -> PathBuf {
        self.folder.join("data/server.crt")
    }

    /// The address of a database of a server with TLS, over TCP.
    pub fn tcp_address(&self, database: &str) -> String {
        format!("postgres://owner@127.0.0.1:{}/{database}", self.port)
    }

    /// A streaming replica of this server.
    pub fn replica(&self) -> Server {
        let folder = new_folder();
        let mut backup = programs::command(programs::folder().join("pg_basebackup"));
        // Without `-c fast` it waits for the next checkpoint, which is minutes away.
        backup.args(["-U", "owner", "-R", "-X", "stream", "-c", "fast", "--no-sync", "-h"]).arg(&self.folder);
        programs::run(backup.arg("-D").arg(folder.join("data")));
        Server::in_folder(folder, USUAL_PORT, "").expect("the replica starts")
    }

    fn in_folder(folder: PathBuf, port: u16, settings: &str) -> Option<Server> {
        let mut command = programs::command("sh");
        command.args(["-c", KEEPER, "keeper"]).arg(programs::folder()).arg(&folder);
        command.arg(format!("-k {} -p {port} {SETTINGS} {settings}", folder.display()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut keeper = command.spawn().expect("a shell");
        let mut said = String::new();
        let out = keeper.stdout.take().expect("its output");
        BufReader::new(out).read_line(&mut said).expect("a line");
        // One that did not start is dropped with its folder.
        let server = Server { folder, port, keeper, databases: AtomicUsize::new(0) };
        (said.trim() == "ready").then_some(server)
    }

    /// The address of a new, empty database.
    pub fn database(&self) -> String {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let mut create = self.client("createdb");
        programs::run(create.arg(&name));
        self.address(&name)
    }

    /// The address of a database of this name, for the user who owns the server.
    pub fn address(&self, database: &str) -> String {
        self.address_for("owner", database)
    }

    /// The address of a database, for another user.
    pub fn address_for(&self, user: &str, database: &str) -> String {
        format!("postgres://{user}@{}/{database}", self.folder.display().to_string().replace('/', "%2F"))
    }

    /// Runs SQL as the user who owns the server, and gives what it says.
    pub fn sql(&self, database: &str, sql: &str) -> String {
        let mut client = self.client("psql");
        let command =
            client.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", database, "-c", sql]);
        let output = command.output().expect("psql runs");
        assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// From now on a commit is acknowledged when the replicas show it, too.
    pub fn wait_for_replicas(&self) {
        for setting in ["synchronous_standby_names = '*'", "synchronous_commit = 'remote_apply'"] {
            self.sql("postgres", &format!("ALTER SYSTEM SET {setting}"));
        }
        self.sql("postgres", "SELECT pg_reload_conf()");
        // The first commit under the new settings is one that waits.
        let is_set = "SELECT current_setting('synchronous_standby_names') = '*' AND EXISTS
                          (SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync')";
        while self.sql("postgres", is_set) != "t" {
            std::thread::yield_now();
        }
    }

    /// Stops the server at once, as a loss of power would.
    pub fn kill(&self) {
        let mut stop = programs::command(programs::folder().join("pg_ctl"));
        programs::run(stop.args(["-m", "immediate", "-D"]).arg(self.folder.join("data")).arg("stop"));
    }

    fn client(&self, program: &str) -> Command {
        let mut command = programs::command(programs::folder().join(program));
        command.args(["-U", "owner", "-p", &self.port.to_string(), "-h"]).arg(&self.folder);
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// A folder that the server's user owns. Its name is short: the path of a socket has at most 107 bytes.
fn new_folder() -> PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("pg-test-{}-{number}", std::process::id()));
    // One that is there is of a process that had our number before.
    programs::run(programs::command("rm").arg("-rf").arg(&folder));
    programs::run(programs::command("mkdir").args(["-m", "700"]).arg(&folder));
    folder
}

/// An empty cluster, made once for all tests of this user and version: making one takes seconds, a copy does not.
fn template() -> PathBuf {
    let programs = programs::folder();
    let user = if programs::is_root() { "root" } else { "user" };
    let version: String =
        programs.display().to_string().chars().filter(char::is_ascii_alphanumeric).collect();
    let folder = std::env::temp_dir().join(format!("pg-test-template-{user}-{version}"));
    if !Path::new(&folder).exists() {
        let new = std::env::temp_dir().join(format!("pg-test-new-{}", std::process::id()));
        let mut make = programs::command(programs.join("initdb"));
        make.args(["-A", "trust", "-U", "owner", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8"]);
        // The log of an empty cluster is most of what would be copied; the smallest one will do.
        programs::run(make.arg("--wal-segsize=1").arg("-D").arg(&new));
        // Another process may have been quicker: then ours goes.
        let place = r#"mv -T "$1" "$2" 2>/dev/null || rm -rf "$1""#;
        programs::run(programs::command("sh").args(["-c", place, "place"]).arg(&new).arg(&folder));
    }
    folder
}
