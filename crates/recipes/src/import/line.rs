//! A line of an ingredient list: `1 ½ cups flour, sifted` is one and a half, cup, flour, sifted.

use crate::ingredient::Ingredient;
use crate::number::Amount;
use crate::unit::Unit;

use super::amount;
use super::fitting::Fitter;

/// Words that count or measure and cannot be converted, by language, without their full stop.
const MEASURES: &[&str] = &[
    // English
    "pinch pinches dash dashes clove cloves can cans tin tins jar jars bunch bunches sprig sprigs stick \
     sticks slice slices piece pieces handful handfuls package packages packet packets pkg sheet sheets \
     head heads stalk stalks knob drop drops leaf leaves fillet fillets gallon gallons bag bags bottle \
     bottles",
    // German
    "el tl esslöffel teelöffel prise prisen zehe zehen dose dosen bund becher päckchen pck pkg packung \
     stück stk scheibe scheiben msp messerspitze glas liter pfund tasse tassen zweig zweige handvoll \
     würfel",
    // French
    "cs cc càs càc cuillère cuillères pincée pincées gousse gousses sachet sachets tranche tranches verre \
     verres tasse tasses litre litres gramme grammes boîte botte brin brins feuille feuilles noix poignée",
    // Spanish
    "cucharada cucharadas cucharadita cucharaditas taza tazas pizca diente dientes lata latas gramo \
     gramos litro litros rebanada rebanadas puñado ramita ramitas vaso",
];

/// Measures that stay as they are when the servings change.
const FIXED: &[&str] = &["pinch", "dash", "prise", "msp", "messerspitze", "pincée", "pizca"];

/// What stands between a unit and a name.
const LINKS: &[&str] = &["of ", "de la ", "de ", "du ", "des ", "d'", "d’"];

/// One of something, in words.
const ONE: &[&str] = &["a ", "an ", "one ", "eine ", "ein ", "une ", "un ", "una "];

/// Reads a line; `None` if there is nothing on it. What is not understood is the name.
pub fn read(text: &str) -> Option<Ingredient> {
    one(text, &mut Fitter::default())
}

pub(super) fn one(text: &str, fitter: &mut Fitter) -> Option<Ingredient> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_start_matches(['-', '•', '*', '▢', '·', '–', '□']).trim();
    let (amounts, rest) = quantity(line);
    let rest = rest.trim_start();
    // `1 (14 oz) can tomatoes`: what is in brackets before the unit is about the unit.
    let (size, rest) = if amounts.is_some() { bracket(rest) } else { (None, rest) };
    let (unit, rest) = if amounts.is_some() { unit(rest.trim_start()) } else { (None, rest) };
    let (late_size, rest) = if unit.is_some() { bracket(rest.trim_start()) } else { (None, rest) };
    let rest = LINKS.iter().find_map(|link| without(rest, link)).unwrap_or(rest).trim();
    let (name, notes) = split_notes(rest);
    // A line of numbers only, or a bare unit, is kept as it is.
    let understood = !name.is_empty();
    let (name, unit) = if understood { (name, unit) } else { (line.to_owned(), None) };
    let amounts = if understood { amounts } else { None };
    let notes: Vec<&str> =
        [size, late_size, notes.as_deref()].into_iter().flatten().filter(|note| !note.is_empty()).collect();
    let (low, high) = amounts.unzip();
    let amount = |number: f64| Amount::new((number * 1e6).round() / 1e6).ok();
    Some(Ingredient {
        name: fitter.text("ingredients", &name)?,
        quantity: low.and_then(amount),
        quantity_max: high.flatten().and_then(amount),
        scales: !unit.as_deref().is_some_and(|unit| FIXED.contains(&unit.to_lowercase().as_str())),
        unit: unit.and_then(|unit| fitter.text("unit", &unit)),
        notes: fitter.text("notes", &notes.join("; ")),
        section: None,
        original_text: fitter.text("original_text", line),
    })
}

type Amounts = (f64, Option<f64>);

fn quantity(line: &str) -> (Option<Amounts>, &str) {
    if let Some((low, high, rest)) = amount::range(line) {
        return (Some((low, high)), rest);
    }
    // `a pinch of salt`, and not `a good chicken`.
    for word in ONE {
        if let Some(rest) = without(line, word)
            && unit(rest).0.is_some()
        {
            return (Some((1.0, None)), rest);
        }
    }
    (None, line)
}

/// The rest of a text that starts with this, in any case.
fn without<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(start.len())?;
    (head.to_lowercase() == start).then_some(rest)
}

fn bracket(text: &str) -> (Option<&str>, &str) {
    let found = text.strip_prefix('(').and_then(|inside| inside.split_once(')'));
    found.map_or((None, text), |(inside, rest)| (Some(inside.trim()), rest.trim_start()))
}

/// The unit a text starts with, in its usual spelling where we know it.
fn unit(text: &str) -> (Option<String>, &str) {
    // Of two words first: `fl oz`.
    let ends = text.match_indices(' ').map(|(at, _)| at).chain([text.len()]).take(2);
    for end in ends.collect::<Vec<_>>().into_iter().rev() {
        let Some((word, rest)) = text.split_at_checked(end) else { continue };
        let bare = word.trim_end_matches(['.', ',']);
        if bare == "T" || bare == "t" {
            let spoon = if bare == "T" { "tbsp" } else { "tsp" };
            return (Some(spoon.to_owned()), rest);
        }
        if let Some(known) = Unit::of(bare) {
            return (Some(known.name.to_owned()), rest);
        }
        let lower = bare.to_lowercase();
        if MEASURES.iter().any(|language| language.split(' ').any(|word| word == lower)) {
            return (Some(bare.to_owned()), rest);
        }
    }
    (None, text)
}

/// The name, and what follows a comma or stands in brackets at the end.
fn split_notes(text: &str) -> (String, Option<String>) {
    let mut depth = 0_i32;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' | ';' if depth == 0 => {
                let (name, notes) = (text[..at].trim(), text[at + 1..].trim());
                return (name.to_owned(), Some(notes.to_owned()));
            }
            _ => {}
        }
    }
    if let Some(inside) = text.strip_suffix(')')
        && let Some((name, note)) = inside.rsplit_once('(')
        && !name.trim().is_empty()
    {
        return (name.trim().to_owned(), Some(note.trim().to_owned()));
    }
    (text.trim().to_owned(), None)
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::number::Amount;
    use crate::text::Text;

    fn check(line: &str, quantity: Option<f64>, unit: Option<&str>, name: &str, notes: Option<&str>) {
        let read = read(line).expect("an ingredient");
        assert_eq!(read.quantity.map(Amount::get), quantity, "{line}");
        assert_eq!(read.unit.as_ref().map(Text::as_str), unit, "{line}");
        assert_eq!(read.name.as_str(), name, "{line}");
        assert_eq!(read.notes.as_ref().map(Text::as_str), notes, "{line}");
        assert_eq!(read.original_text.as_ref().map(Text::as_str), Some(line.trim()), "{line}");
    }

    #[test]
    fn lines_in_english() {
        check("1 ½ cups flour, sifted", Some(1.5), Some("cup"), "flour", Some("sifted"));
        check("200g dark chocolate (70%)", Some(200.0), Some("g"), "dark chocolate", Some("70%"));
        check("1 (14 oz) can tomatoes, diced", Some(1.0), Some("can"), "tomatoes", Some("14 oz; diced"));
        check("3 large eggs", Some(3.0), None, "large eggs", None);
        check("2 Tbsp. olive oil", Some(2.0), Some("tbsp"), "olive oil", None);
        check("a pinch of salt", Some(1.0), Some("pinch"), "salt", None);
        check("A good chicken", None, None, "A good chicken", None);
        check("Salt and pepper, to taste", None, None, "Salt and pepper", Some("to taste"));
        check("1/2 fl oz rum", Some(0.5), Some("fl oz"), "rum", None);
        check("1 T sugar", Some(1.0), Some("tbsp"), "sugar", None);
        check("12", None, None, "12", None);
    }

    #[test]
    fn lines_in_other_languages() {
        check("2 EL Öl", Some(2.0), Some("EL"), "Öl", None);
        check("1 Prise Salz", Some(1.0), Some("Prise"), "Salz", None);
        check("0,5 l Milch", Some(0.5), Some("l"), "Milch", None);
        check("250 g de farine", Some(250.0), Some("g"), "farine", None);
        check("1 pincée de sel", Some(1.0), Some("pincée"), "sel", None);
        check("2 cucharadas de aceite", Some(2.0), Some("cucharadas"), "aceite", None);
    }

    #[test]
    fn ranges_have_two_ends_and_a_pinch_does_not_grow() {
        let apples = read("2 to 3 apples").expect("an ingredient");
        assert_eq!(apples.quantity_max.map(Amount::get), Some(3.0));
        assert!(apples.scales && !read("1 pinch salt").expect("an ingredient").scales);
    }

    #[test]
    fn no_line_makes_it_panic() {
        for line in
            ["", " - ", "½", "()", "1 (", "1 cup", "𝟙 ü(", ",", "1 cup ,", "9999999999 g x", "a pinch of"]
        {
            let _ = read(line);
        }
        assert!(read(&"x".repeat(10_000)).expect("an ingredient").name.as_str().ends_with('…'));
    }
}
