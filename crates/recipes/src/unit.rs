//! Units, and which of them add up. Mass is never turned into volume: that would take a density.

/// What a unit measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    /// Mass, in grams.
    Mass,
    /// Volume, in millilitres.
    Volume,
}

/// A unit we can convert.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// How lists write it.
    pub name: &'static str,
    /// What it measures.
    pub dimension: Dimension,
    /// How many grams or millilitres it is.
    pub size: f64,
}

const fn mass(name: &'static str, size: f64) -> Unit {
    Unit { name, dimension: Dimension::Mass, size }
}

const fn volume(name: &'static str, size: f64) -> Unit {
    Unit { name, dimension: Dimension::Volume, size }
}

/// Every spelling, and its unit. Volumes of cups and spoons are those of the United States.
const SPELLINGS: &[(&[&str], Unit)] = &[
    (&["mg", "milligram", "milligrams"], mass("mg", 0.001)),
    (&["g", "gr", "gram", "grams", "gramm"], mass("g", 1.0)),
    (&["kg", "kilogram", "kilograms", "kilo", "kilos"], mass("kg", 1_000.0)),
    (&["oz", "ounce", "ounces"], mass("oz", 28.349_523_125)),
    (&["lb", "lbs", "pound", "pounds"], mass("lb", 453.592_37)),
    (&["ml", "millilitre", "milliliter", "millilitres", "milliliters"], volume("ml", 1.0)),
    (&["cl", "centilitre", "centiliter"], volume("cl", 10.0)),
    (&["dl", "decilitre", "deciliter"], volume("dl", 100.0)),
    (&["l", "litre", "liter", "litres", "liters"], volume("l", 1_000.0)),
    (&["tsp", "teaspoon", "teaspoons"], volume("tsp", 4.928_921_593_75)),
    (&["tbsp", "tablespoon", "tablespoons"], volume("tbsp", 14.786_764_781_25)),
    (&["fl oz", "fluid ounce", "fluid ounces"], volume("fl oz", 29.573_529_562_5)),
    (&["cup", "cups"], volume("cup", 236.588_236_5)),
    (&["pint", "pints"], volume("pint", 473.176_473)),
    (&["quart", "quarts"], volume("quart", 946.352_946)),
];

impl Unit {
    /// The unit of this spelling.
    pub fn of(spelling: &str) -> Option<Unit> {
        let spelling = spelling.trim().trim_end_matches('.').to_lowercase();
        SPELLINGS.iter().find(|(spellings, _)| spellings.contains(&spelling.as_str())).map(|(_, unit)| *unit)
    }
}

#[cfg(test)]
mod tests {
    use super::Unit;

    #[test]
    fn spellings_are_found_in_any_case() {
        assert_eq!(Unit::of("KG").map(|unit| unit.name), Some("kg"));
        assert_eq!(Unit::of(" Tbsp. ").map(|unit| unit.name), Some("tbsp"));
        assert_eq!(Unit::of("pinch"), None);
    }
}
