//! Amounts as cooks write them: fractions for spoons and eggs, round numbers for grams, metric or US.

use crate::ingredient::Ingredient;
use crate::number::Amount;
use crate::pages::language::Language;
use crate::step::{Degrees, Step};
use crate::text::Text;
use crate::unit::{Dimension, Unit};

/// Which units are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum System {
    /// As the recipe says.
    #[default]
    Written,
    /// Grams, millilitres, degrees Celsius.
    Metric,
    /// Ounces, cups, degrees Fahrenheit.
    Us,
}

impl System {
    /// By its name in an address.
    pub(crate) fn named(name: Option<&str>) -> System {
        match name {
            Some("metric") => System::Metric,
            Some("us") => System::Us,
            _ => System::Written,
        }
    }

    /// Its name in an address.
    pub(crate) fn name(self) -> &'static str {
        match self {
            System::Written => "written",
            System::Metric => "metric",
            System::Us => "us",
        }
    }
}

/// How much of an ingredient, e.g. `1½ cups` or `2–3`.
pub(crate) fn amount(ingredient: &Ingredient, system: System, language: Language) -> String {
    let Some(least) = ingredient.quantity else { return String::new() };
    let written = ingredient.unit.as_ref().map(Text::as_str).unwrap_or_default();
    let most = ingredient.quantity_max.filter(|most| *most > least);
    let (factor, unit, is_metric) = converted(most.unwrap_or(least).get(), written, system);
    let is_converted = unit != written;
    let number = |amount: f64| match (is_metric, is_converted) {
        (true, _) => rounded(amount * factor, language),
        // Who measures in cups has no scale for the sixteenth of one.
        (false, true) => fraction(to_a_spoon(amount * factor), language),
        (false, false) => fraction(amount * factor, language),
    };
    let range = match most {
        Some(most) => format!("{}–{}", number(least.get()), number(most.get())),
        None => number(least.get()),
    };
    if unit.is_empty() { range } else { format!("{range} {unit}") }
}

/// How much to buy.
pub(crate) fn bought(quantity: Option<Amount>, unit: Option<&str>, language: Language) -> String {
    let Some(quantity) = quantity else { return String::new() };
    let unit = unit.unwrap_or_default();
    let (_, _, is_metric) = converted(quantity.get(), unit, System::Written);
    // Nobody asks for 1,500 g.
    let (factor, unit, _) =
        if is_metric { converted(quantity.get(), unit, System::Metric) } else { (1.0, unit, false) };
    let number = if is_metric {
        rounded(quantity.get() * factor, language)
    } else {
        fraction(quantity.get(), language)
    };
    if unit.is_empty() { number } else { format!("{number} {unit}") }
}

/// The factor and unit to show an amount in, and whether grams and millilitres are what is counted.
fn converted(amount: f64, written: &str, system: System) -> (f64, &str, bool) {
    let Some(unit) = Unit::of(written) else { return (1.0, written, false) };
    let is_metric = matches!(unit.name, "mg" | "g" | "kg" | "ml" | "cl" | "dl" | "l");
    let small = amount * unit.size;
    let target = match (system, unit.dimension) {
        (System::Written, _) => return (1.0, written, is_metric),
        // Spoons are used everywhere, as long as there are few of them.
        (System::Metric, Dimension::Volume) if matches!(unit.name, "tsp" | "tbsp") && small < 61.0 => {
            return (1.0, written, false);
        }
        (System::Metric, Dimension::Mass) => {
            if small < 1_000.0 {
                "g"
            } else {
                "kg"
            }
        }
        (System::Metric, Dimension::Volume) => {
            if small < 1_000.0 {
                "ml"
            } else {
                "l"
            }
        }
        (System::Us, Dimension::Mass) => {
            if small < 453.0 {
                "oz"
            } else {
                "lb"
            }
        }
        (System::Us, Dimension::Volume) if small < 14.0 => "tsp",
        (System::Us, Dimension::Volume) if small < 58.0 => "tbsp",
        (System::Us, Dimension::Volume) => "cup",
    };
    match Unit::of(target) {
        Some(to) => (unit.size / to.size, to.name, system == System::Metric),
        None => (1.0, written, is_metric),
    }
}

/// Grams and millilitres: as many digits as a scale shows.
fn rounded(amount: f64, language: Language) -> String {
    let digits = if amount >= 100.0 {
        0
    } else if amount >= 10.0 {
        1
    } else {
        2
    };
    let text = format!("{amount:.digits$}");
    let Some((whole, part)) = text.split_once('.') else { return text };
    match part.trim_end_matches('0') {
        "" => whole.to_owned(),
        part => format!("{whole}{}{part}", language.decimal_mark()),
    }
}

const FRACTIONS: &[(f64, &str)] = &[
    (0.125, "⅛"),
    (0.25, "¼"),
    (1.0 / 3.0, "⅓"),
    (0.375, "⅜"),
    (0.5, "½"),
    (0.625, "⅝"),
    (2.0 / 3.0, "⅔"),
    (0.75, "¾"),
    (0.875, "⅞"),
];

/// The nearest amount that a set of cups and spoons has; large amounts to the quarter.
fn to_a_spoon(amount: f64) -> f64 {
    if !(0.1..20.0).contains(&amount) {
        return amount;
    }
    let (whole, rest) = (amount.floor(), amount - amount.floor());
    let parts = FRACTIONS.iter().map(|(value, _)| *value).chain([0.0, 1.0]);
    let parts = parts.filter(|part| {
        amount < 2.0 || (part * 12.0).round() % 3.0 == 0.0 || (part * 12.0).round() % 4.0 == 0.0
    });
    let nearest = parts.min_by(|one, other| (one - rest).abs().total_cmp(&(other - rest).abs()));
    whole + nearest.unwrap_or(rest)
}

/// Cups, spoons and eggs: whole ones and a fraction, where one is near enough.
fn fraction(amount: f64, language: Language) -> String {
    let (whole, rest) = (amount.floor(), amount - amount.floor());
    let near = |to: f64| (rest - to).abs() < 0.021;
    let whole_text = |number: f64| format!("{number:.0}");
    if amount >= 20.0 || near(0.0) {
        return if amount < 0.03 { rounded(amount, language) } else { whole_text(amount.round()) };
    }
    if near(1.0) {
        return whole_text(whole + 1.0);
    }
    match FRACTIONS.iter().find(|(value, _)| near(*value)) {
        Some((_, sign)) if whole == 0.0 => (*sign).to_owned(),
        Some((_, sign)) => format!("{}{sign}", whole_text(whole)),
        None => rounded(amount, language),
    }
}

/// How hot, e.g. `180 °C`.
pub(crate) fn temperature(step: &Step, system: System) -> Option<String> {
    let (value, unit) = (step.temperature_value?.get(), step.temperature_unit?);
    // Ovens have marks every five degrees.
    let to_five = |degrees: i64| (degrees + 2).div_euclid(5) * 5;
    let (value, unit) = match (system, unit) {
        (System::Us, Degrees::Celsius) => (to_five(value * 9 / 5 + 32), Degrees::Fahrenheit),
        (System::Metric, Degrees::Fahrenheit) => (to_five((value - 32) * 5 / 9), Degrees::Celsius),
        (_, unit) => (value, unit),
    };
    Some(match unit {
        Degrees::Celsius => format!("{value} °C"),
        Degrees::Fahrenheit => format!("{value} °F"),
    })
}

/// How long, e.g. `1 h 20 min`.
pub(crate) fn duration(minutes: i64) -> String {
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::{System, amount, bought, duration, temperature};
    use crate::ingredient::Ingredient;
    use crate::pages::language::Language;
    use crate::step::Step;

    fn check(json: &str, system: System, expected: &str) {
        let ingredient: Ingredient = serde_json::from_str(json).expect("an ingredient");
        assert_eq!(amount(&ingredient, system, Language::English), expected, "{json} {system:?}");
    }

    #[test]
    fn in_german_a_comma_stands_before_the_fraction() {
        for (json, expected) in [
            (r#"{"name":"Mehl","quantity":1.25,"unit":"kg"}"#, "1,25 kg"),
            (r#"{"name":"Milch","quantity":0.5,"unit":"l"}"#, "0,5 l"),
            (r#"{"name":"Hefe","quantity":0.4,"unit":"Pck."}"#, "0,4 Pck."),
            (r#"{"name":"Öl","quantity":1.5,"unit":"EL"}"#, "1½ EL"),
        ] {
            let ingredient: Ingredient = serde_json::from_str(json).expect("an ingredient");
            assert_eq!(amount(&ingredient, System::Written, Language::German), expected, "{json}");
        }
        let quantity = crate::number::Amount::new(1_500.0).ok();
        assert_eq!(bought(quantity, Some("g"), Language::German), "1,5 kg");
    }

    #[test]
    fn amounts_read_as_a_cook_writes_them() {
        for (json, expected) in [
            (r#"{"name":"flour","quantity":1.5,"unit":"cups"}"#, "1½ cups"),
            (r#"{"name":"milk","quantity":0.33,"unit":"cup"}"#, "⅓ cup"),
            (r#"{"name":"eggs","quantity":2}"#, "2"),
            (r#"{"name":"eggs","quantity":0.98}"#, "1"),
            (r#"{"name":"apples","quantity":2,"quantity_max":3}"#, "2–3"),
            (r#"{"name":"flour","quantity":333.333,"unit":"g"}"#, "333 g"),
            (r#"{"name":"saffron","quantity":0.25,"unit":"g"}"#, "0.25 g"),
            (r#"{"name":"salt"}"#, ""),
            (r#"{"name":"yeast","quantity":0.4,"unit":"cube"}"#, "0.4 cube"),
        ] {
            check(json, System::Written, expected);
        }
    }

    #[test]
    fn units_change_and_mass_never_becomes_volume() {
        check(r#"{"name":"butter","quantity":8,"unit":"oz"}"#, System::Metric, "227 g");
        check(r#"{"name":"milk","quantity":1,"unit":"cup"}"#, System::Metric, "237 ml");
        check(r#"{"name":"oil","quantity":2,"unit":"tbsp"}"#, System::Metric, "2 tbsp");
        check(r#"{"name":"flour","quantity":1,"unit":"kg"}"#, System::Us, "2¼ lb");
        check(r#"{"name":"milk","quantity":250,"unit":"ml"}"#, System::Us, "1 cup");
        check(r#"{"name":"butter","quantity":141,"unit":"g"}"#, System::Us, "5 oz");
        check(r#"{"name":"salt","quantity":1,"unit":"pinch"}"#, System::Us, "1 pinch");
    }

    #[test]
    fn ovens_and_clocks() {
        let step: Step = serde_json::from_str(
            r#"{"instruction":"Bake.","temperature_value":180,"temperature_unit":"Celsius"}"#,
        )
        .expect("a step");
        assert_eq!(temperature(&step, System::Written).as_deref(), Some("180 °C"));
        assert_eq!(temperature(&step, System::Us).as_deref(), Some("355 °F"));
        assert_eq!(
            (duration(45), duration(60), duration(80)),
            ("45 min".into(), "1 h".into(), "1 h 20 min".into())
        );
    }
}
