//! All rounds as a Markdown table and as JSON.

use std::fmt::Write;

use crate::{
    figures::{Better, Sample, Samples, best, median},
    options::{Options, Transport},
};

/// One server and what each figure came to in each round.
pub(crate) struct Contender {
    name: String,
    figures: Vec<(Sample, Vec<f64>)>,
}

impl Contender {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), figures: Vec::new() }
    }

    pub(crate) fn add(&mut self, round: Samples) {
        for sample in round.0 {
            let known = self
                .figures
                .iter_mut()
                .find(|(first, _)| (first.name, first.unit) == (sample.name, sample.unit));
            match known {
                Some((_, values)) => values.push(sample.value),
                None => self.figures.push((sample.clone(), vec![sample.value])),
            }
        }
    }
}

pub(crate) struct Report {
    title: String,
    rows: Vec<Row>,
}

struct Row {
    name: &'static str,
    unit: &'static str,
    better: Better,
    cells: Vec<Cell>,
}

struct Cell {
    server: String,
    values: Vec<f64>,
    median: f64,
    best: f64,
}

impl Report {
    pub(crate) fn new(options: &Options, contenders: Vec<Contender>) -> Self {
        let transport = match options.transport {
            Transport::Stdio => "stdio",
            Transport::Http => "Streamable HTTP",
        };
        let title = format!("{transport}, {}, {} rounds", options.era.version(), options.rounds);
        let mut rows: Vec<Row> = Vec::new();
        for Contender { name: server, figures } in contenders {
            for (Sample { name, unit, better, .. }, values) in figures {
                let (median, best) = (median(&values), best(&values, better));
                let cell = Cell { server: server.clone(), values, median, best };
                match rows.iter_mut().find(|row| (row.name, row.unit) == (name, unit)) {
                    Some(row) => row.cells.push(cell),
                    None => rows.push(Row { name, unit, better, cells: vec![cell] }),
                }
            }
        }
        Self { title, rows }
    }

    pub(crate) fn markdown(&self) -> String {
        let mut text = format!("### {}\n\n| figure | unit | better |", self.title);
        let servers: Vec<_> = self.rows.first().into_iter().flat_map(|row| &row.cells).collect();
        for cell in &servers {
            let _ = write!(text, " {} median | {0} best |", cell.server);
        }
        if let [ours, peer] = servers[..] {
            let _ = write!(text, " {}/{} medians | bests |", ours.server, peer.server);
        }
        text.push_str("\n|---|---|---|");
        text.push_str(&"--:|".repeat(servers.len() * if servers.len() == 2 { 3 } else { 2 }));
        text.push('\n');
        for row in &self.rows {
            let _ = write!(text, "| {} | {} | {} |", row.name, row.unit, row.better.word());
            for cell in &row.cells {
                let _ = write!(text, " {} | {} |", short(cell.median), short(cell.best));
            }
            if let Some((medians, bests)) = row.ratios() {
                let _ = write!(text, " {medians:.2} | {bests:.2} |");
            }
            text.push('\n');
        }
        text
    }

    /// Written by hand: the names in it need no escaping, and the numbers are all there is.
    pub(crate) fn json(&self) -> String {
        let rows: Vec<_> = self.rows.iter().map(Row::json).collect();
        format!("{{\n\"title\":\"{}\",\n\"figures\":[\n{}\n]\n}}\n", self.title, rows.join(",\n"))
    }
}

impl Row {
    /// Ours to the peer's, of the medians and of the bests.
    fn ratios(&self) -> Option<(f64, f64)> {
        match &self.cells[..] {
            [ours, peer] => Some((ours.median / peer.median, ours.best / peer.best)),
            _ => None,
        }
    }

    fn json(&self) -> String {
        let (name, unit, better) = (self.name, self.unit, self.better.word());
        let mut text = format!(r#"{{"name":"{name}","unit":"{unit}","better":"{better}""#);
        for Cell { server, values, median, best } in &self.cells {
            let values: Vec<_> = values.iter().map(|value| exact(*value)).collect();
            let (median, best, values) = (exact(*median), exact(*best), values.join(","));
            let _ = write!(text, r#","{server}":{{"median":{median},"best":{best},"rounds":[{values}]}}"#);
        }
        if let Some((medians, bests)) = self.ratios() {
            let _ = write!(text, r#","ratio":{{"medians":{},"bests":{}}}"#, exact(medians), exact(bests));
        }
        text + "}"
    }
}

impl Better {
    fn word(self) -> &'static str {
        match self {
            Self::Higher => "higher",
            Self::Lower => "lower",
        }
    }
}

/// About three digits, and no more than the noise allows.
fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// JSON has no word for what is not a number.
fn exact(value: f64) -> String {
    if value.is_finite() { format!("{value:.4}") } else { "null".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contender(name: &'static str, values: &[f64]) -> Contender {
        let mut contender = Contender::new(name);
        for &value in values {
            let mut round = Samples::default();
            round.lower("echo, p50", "µs", value);
            contender.add(round);
        }
        contender
    }

    #[test]
    fn a_row_has_medians_bests_and_both_ratios() {
        let args = ["stdio", "--ours", "a", "--peer", "b", "--rounds", "3"];
        let options = Options::parse(args.into_iter().map(str::to_owned)).unwrap();
        let report = Report::new(
            &options,
            vec![contender("ours", &[2.0, 1.0, 3.0]), contender("rmcp", &[8.0, 10.0, 5.0])],
        );
        let table = report.markdown();
        let row = table.lines().last().unwrap();
        assert_eq!(row, "| echo, p50 | µs | lower | 2.00 | 1.00 | 8.00 | 5.00 | 0.25 | 0.20 |");
        assert!(report.json().contains(r#""ratio":{"medians":0.2500,"bests":0.2000}"#));
    }
}
