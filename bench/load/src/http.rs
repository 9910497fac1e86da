//! The measurements on Streamable HTTP: what is run on which process, in which order.

mod connection;
mod drive;
mod framing;
mod listener;
mod sessions;

use std::{thread, time::Duration};

use crate::{
    Result,
    figures::{LatencyNames, Samples},
    http::{drive::drive, listener::Listener},
    options::{Options, ServerCommand},
    probe::Memory,
    request::{Call, Era},
    server::PATIENCE,
};

/// Time for a server to finish what it does after its first reply, before its memory is read.
const SETTLE: Duration = Duration::from_millis(100);

type Measurement = fn(&mut Listener, Duration, &mut Samples) -> Result<()>;

/// Those that share one process, from small to large.
const LOADS: [(&str, Measurement); 4] =
    [("one-core", one_core), ("one", one), ("many", many), ("image", image)];

pub(crate) fn measure(options: &Options, server: &ServerCommand, samples: &mut Samples) -> Result<()> {
    let mut names: Vec<_> = LOADS.iter().map(|(name, _)| *name).collect();
    names.push("sessions");
    options.check_names(&names)?;

    if LOADS.iter().any(|(name, _)| options.wants(name)) {
        let command = match options.era {
            Era::Modern => &server.command,
            Era::Legacy => &server.with_sessions,
        };
        let mut listener = Listener::greet(command, &options.path, options.era)?;
        thread::sleep(SETTLE);
        samples.lower("memory, idle", "MB", listener.megabytes(Memory::Resident)?);
        for (_, load) in LOADS.iter().filter(|(name, _)| options.wants(name)) {
            load(&mut listener, options.span, samples)?;
        }
        samples.lower("memory, after load", "MB", listener.megabytes(Memory::Resident)?);
        samples.lower("memory, peak", "MB", listener.megabytes(Memory::PeakResident)?);
        samples.lower("binary", "MB", listener.server.binary_bytes()? / 1e6);
    }
    if options.wants("sessions") {
        sessions::idle(&server.with_sessions, &options.path, samples)?;
    }
    Ok(())
}

fn one_core(listener: &mut Listener, span: Duration, samples: &mut Samples) -> Result<()> {
    const NAMES: LatencyNames = LatencyNames {
        rate: "echo, 1 connection on one core",
        p50: "echo, 1 connection on one core, p50",
        p99: "echo, 1 connection on one core, p99",
        cpu: "echo, 1 connection on one core, CPU per request",
    };
    let _shared = listener.server.share_one_core()?;
    timed(listener, span, "one-core", 1, Call::Echo)?.report_latencies(&NAMES, samples);
    Ok(())
}

fn one(listener: &mut Listener, span: Duration, samples: &mut Samples) -> Result<()> {
    const NAMES: LatencyNames = LatencyNames {
        rate: "echo, 1 connection",
        p50: "echo, 1 connection, p50",
        p99: "echo, 1 connection, p99",
        cpu: "echo, 1 connection, CPU per request",
    };
    timed(listener, span, "one", 1, Call::Echo)?.report_latencies(&NAMES, samples);
    Ok(())
}

fn many(listener: &mut Listener, span: Duration, samples: &mut Samples) -> Result<()> {
    const NAMES: LatencyNames = LatencyNames {
        rate: "echo, 32 connections",
        p50: "echo, 32 connections, p50",
        p99: "echo, 32 connections, p99",
        cpu: "echo, 32 connections, CPU per request",
    };
    timed(listener, span, "many", 32, Call::Echo)?.report_latencies(&NAMES, samples);
    Ok(())
}

fn image(listener: &mut Listener, span: Duration, samples: &mut Samples) -> Result<()> {
    let stretch = timed(listener, span, "image", 4, Call::Image)?;
    samples.higher("1 MB image, 4 connections", "MB/s", stretch.megabytes_per_second());
    samples.lower("1 MB image, 4 connections, CPU per call", "ms", stretch.cpu_millis());
    Ok(())
}

/// Runs a load for a tenth of the span to warm up, then for the whole span with the server's time taken.
fn timed(
    listener: &mut Listener,
    span: Duration,
    what: &str,
    connections: usize,
    call: Call,
) -> Result<crate::figures::Stretch> {
    listener.server.within(span * 2 + PATIENCE, what, || {
        let mut connections = listener.connect(connections)?;
        let requests = listener.requests(call);
        drive(&mut connections, &requests, call, span / 10)?;
        let before = listener.server.cpu_time()?;
        let mut stretch = drive(&mut connections, &requests, call, span)?;
        stretch.server_cpu = listener.server.cpu_time()?.saturating_sub(before);
        Ok(stretch)
    })
}
