//! One measured figure, and the few sums that turn many of them into one.

use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Better {
    Higher,
    Lower,
}

#[derive(Clone)]
pub(crate) struct Sample {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) better: Better,
    pub(crate) value: f64,
}

/// What one round of one server gave, in the order measured.
#[derive(Default)]
pub(crate) struct Samples(pub(crate) Vec<Sample>);

impl Samples {
    pub(crate) fn higher(&mut self, name: &'static str, unit: &'static str, value: f64) {
        self.0.push(Sample { name, unit, better: Better::Higher, value });
    }

    pub(crate) fn lower(&mut self, name: &'static str, unit: &'static str, value: f64) {
        self.0.push(Sample { name, unit, better: Better::Lower, value });
    }
}

/// The names of the four figures a stretch of timed replies gives.
pub(crate) struct LatencyNames {
    pub(crate) rate: &'static str,
    pub(crate) p50: &'static str,
    pub(crate) p99: &'static str,
    pub(crate) cpu: &'static str,
}

/// What a stretch of load came to.
#[derive(Default)]
pub(crate) struct Stretch {
    pub(crate) replies: u64,
    pub(crate) bytes: u64,
    pub(crate) elapsed: Duration,
    pub(crate) server_cpu: Duration,
    /// Empty where single replies are not timed.
    pub(crate) latencies: Vec<Duration>,
}

impl Stretch {
    pub(crate) fn per_second(&self) -> f64 {
        self.replies as f64 / self.elapsed.as_secs_f64()
    }

    pub(crate) fn megabytes_per_second(&self) -> f64 {
        self.bytes as f64 / 1e6 / self.elapsed.as_secs_f64()
    }

    pub(crate) fn cpu_micros(&self) -> f64 {
        self.server_cpu.as_secs_f64() * 1e6 / self.replies as f64
    }

    pub(crate) fn cpu_millis(&self) -> f64 {
        self.cpu_micros() / 1e3
    }

    pub(crate) fn report_latencies(&mut self, names: &LatencyNames, samples: &mut Samples) {
        let [p50, p99] = self.percentiles([0.5, 0.99]);
        samples.higher(names.rate, "requests/s", self.per_second());
        samples.lower(names.p50, "µs", p50);
        samples.lower(names.p99, "µs", p99);
        samples.lower(names.cpu, "µs", self.cpu_micros());
    }

    /// In microseconds, for each share between 0 and 1.
    fn percentiles<const N: usize>(&mut self, shares: [f64; N]) -> [f64; N] {
        self.latencies.sort_unstable();
        let last = self.latencies.len().saturating_sub(1);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index into the list")]
        shares.map(|share| {
            let at = (last as f64 * share).round() as usize;
            self.latencies.get(at).map_or(f64::NAN, |latency| latency.as_secs_f64() * 1e6)
        })
    }
}

pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        len if len % 2 == 1 => sorted[len / 2],
        len => f64::midpoint(sorted[len / 2 - 1], sorted[len / 2]),
    }
}

pub(crate) fn best(values: &[f64], better: Better) -> f64 {
    let pick = match better {
        Better::Higher => f64::max,
        Better::Lower => f64::min,
    };
    values.iter().copied().reduce(pick).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_odd_even_and_none() {
        assert!((median(&[3.0, 1.0, 2.0]) - 2.0).abs() < 1e-9);
        assert!((median(&[4.0, 1.0]) - 2.5).abs() < 1e-9);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn percentiles_come_in_microseconds() {
        let latencies = (0..=100).rev().map(Duration::from_micros).collect();
        let mut stretch = Stretch { latencies, ..Stretch::default() };
        let [p50, p99] = stretch.percentiles([0.5, 0.99]);
        assert!((p50 - 50.0).abs() < 1e-9 && (p99 - 99.0).abs() < 1e-9);
    }
}
