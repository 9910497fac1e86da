//! The cookbook: where it is, and whether its schema is the one this program knows.

use recipes::config::Source;
use recipes::inspect::{Inspected, inspect};

use super::check::Check;

const STOPS: &[&str] = &["recipe-vault"];

pub(super) fn look() -> Vec<Check> {
    let check = match recipes::Config::from_environment(super::set).source {
        Err(error) => Check::problem_of("cookbook", &error.to_string(), "correct the variable"),
        Ok(source) => looked_at(&source),
    };
    vec![check.stops(STOPS)]
}

fn looked_at(source: &Source) -> Check {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return Check::problem("cookbook", error.to_string(), "try again"),
    };
    let found = runtime.block_on(inspect(source));
    runtime.shutdown_background();
    match found {
        Ok(Inspected::Nothing { place }) => Check::ok("cookbook", format!("{place}, made on first use")),
        Ok(Inspected::Schema { place, applied, known }) if applied == known => {
            Check::ok("cookbook", format!("{place}, schema {applied}"))
        }
        Ok(Inspected::Schema { place, applied, known }) => {
            Check::ok("cookbook", format!("{place}, schema {applied}; the next use brings it to {known}"))
        }
        Ok(Inspected::Reachable { place }) => Check::ok("cookbook", place),
        Err(error) => Check::problem_of("cookbook", &error.to_string(), "correct `DATABASE_URL`"),
    }
}
