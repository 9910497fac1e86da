//! How long something takes, in all the ways pages say it.

use serde_json::Value;

/// Minutes, rounded; of a range the longer. ISO 8601 (`PT1H30M`, `PT4200S`, `P0DT1H`), words (`1 hour 20 mins`), or a bare
/// number of minutes.
pub(super) fn minutes(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => text_minutes(text),
        Value::Number(number) => number.as_f64().and_then(rounded),
        Value::Array(values) => values.iter().find_map(minutes),
        // A Duration or QuantitativeValue with `minValue` and `maxValue`, or one with `value`.
        Value::Object(object) => ["maxValue", "value", "minValue", "duration", "@value"]
            .iter()
            .find_map(|key| minutes(object.get(*key)?)),
        Value::Null | Value::Bool(_) => None,
    }
}

/// As [`minutes`], of text.
pub(super) fn text_minutes(text: &str) -> Option<i64> {
    let text = text.trim();
    // A range such as `PT30M/PT45M`: its end.
    let text = text.rsplit_once('/').map_or(text, |(_, end)| end.trim());
    let iso = text.strip_prefix(['P', 'p']).and_then(iso);
    iso.or_else(|| text.parse::<f64>().ok()).or_else(|| words(text)).and_then(rounded)
}

fn rounded(minutes: f64) -> Option<i64> {
    #[allow(clippy::cast_possible_truncation, reason = "checked by the range")]
    (0.0..=10_000_000.0).contains(&minutes).then(|| minutes.round() as i64)
}

fn iso(text: &str) -> Option<f64> {
    let (mut minutes, mut number, mut time, mut any) = (0.0, String::new(), false, false);
    for c in text.chars() {
        let per = match c.to_ascii_uppercase() {
            'T' => {
                time = true;
                continue;
            }
            '0'..='9' | '.' => {
                number.push(c);
                continue;
            }
            ',' => {
                number.push('.');
                continue;
            }
            'Y' => 525_600.0,
            'M' if !time => 43_800.0,
            'W' => 10_080.0,
            'D' => 1_440.0,
            'H' => 60.0,
            'M' => 1.0,
            'S' => 1.0 / 60.0,
            _ => return None,
        };
        // `PTM` and the like stand for nothing.
        minutes += number.parse::<f64>().unwrap_or(0.0) * per;
        any |= !number.is_empty();
        number.clear();
    }
    any.then_some(minutes)
}

/// `1 hour 20 mins`, `1h20`, `2 Std. 30 Min.`, `une heure` is not.
fn words(text: &str) -> Option<f64> {
    let lower = text.to_lowercase();
    let mut rest = lower.as_str();
    let (mut minutes, mut any, mut after_hours) = (0.0, false, false);
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        rest = rest.get(start..)?;
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(rest.len());
        let number: f64 = rest.get(..end)?.trim_end_matches(['.', ',']).replace(',', ".").parse().ok()?;
        rest = rest.get(end..)?.trim_start();
        let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
        let per = match rest.get(..end)? {
            "d" | "day" | "days" | "tag" | "tage" | "jour" | "jours" | "día" | "días" => Some(1_440.0),
            "h" | "hr" | "hrs" | "hour" | "hours" | "std" | "stunde" | "stunden" | "heure" | "heures"
            | "hora" | "horas" => {
                after_hours = true;
                Some(60.0)
            }
            "s" | "sec" | "secs" | "second" | "seconds" | "sek" => Some(1.0 / 60.0),
            "m" | "min" | "mins" | "minute" | "minutes" | "minuten" | "minuto" | "minutos" => Some(1.0),
            "" if after_hours => Some(1.0),
            _ => None,
        };
        if let Some(per) = per {
            minutes += number * per;
            any = true;
        }
        rest = rest.get(end..)?;
    }
    any.then_some(minutes)
}

#[cfg(test)]
mod tests {
    use super::minutes;
    use serde_json::{Value, json};

    fn check(value: &Value, expected: Option<i64>) {
        assert_eq!(minutes(value), expected, "{value}");
    }

    #[test]
    fn every_way_to_say_how_long() {
        for (text, expected) in [
            ("PT1H30M", 90),
            ("PT4200S", 70),
            ("P0DT1H", 60),
            ("P0Y0M0DT0H35M0.000S", 35),
            ("PT1.5H", 90),
            ("pt20m", 20),
            ("PT30M/PT45M", 45),
            ("P1D", 1_440),
            ("45", 45),
            ("1 hour 20 mins", 80),
            ("1h20", 80),
            ("2 Std. 30 Min.", 150),
            ("about 40 minutes", 40),
        ] {
            check(&json!(text), Some(expected));
        }
        check(&json!(25), Some(25));
        check(&json!({ "@type": "Duration", "minValue": "PT10M", "maxValue": "PT15M" }), Some(15));
        check(&json!(["", "PT5M"]), Some(5));
        for none in
            [json!(""), json!("PT"), json!("soon"), json!(null), json!(false), json!("PTM"), json!("1e999")]
        {
            check(&none, None);
        }
    }
}
