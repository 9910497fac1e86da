//! Where things stand in a shop, as far as their names tell.

use crate::search::words;

/// A part of a shop; lists go through them in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aisle {
    /// Fruit and vegetables.
    Produce,
    /// Bread.
    Bakery,
    /// Meat and fish.
    Meat,
    /// Milk, cheese, eggs.
    Dairy,
    /// What keeps: flour, pasta, tins, oil.
    Pantry,
    /// Herbs and spices, salt and sugar.
    Spices,
    /// What is frozen.
    Frozen,
    /// What is drunk.
    Drinks,
    /// What is not eaten.
    Household,
    /// Everything else.
    Other,
}

/// The words of each, English and German, in the singular and without marks.
const WORDS: &[(Aisle, &str)] = &[
    (Aisle::Frozen, "frozen tiefkuhl tk ice eis"),
    (
        Aisle::Spices,
        "salt pepper sugar cinnamon cumin paprika curry turmeric nutmeg vanilla clove oregano thyme rosemary bay saffron \
         salz pfeffer zucker zimt kummel kreuzkummel kurkuma muskat vanille nelke lorbeer safran gewurz spice",
    ),
    (
        Aisle::Pantry,
        "flour rice pasta noodle spaghetti lentil bean chickpea oat oil vinegar stock broth tin can honey jam nut almond \
         walnut raisin chocolate cocoa yeast powder soda couscous quinoa polenta sauce ketchup mustard mayonnaise cereal \
         mehl reis nudel linse bohne kichererbse hafer haferflocke ol essig bouillon bruhe dose honig konfiture nuss mandel \
         rosine schokolade kakao hefe backpulver griess senf mais tomatenmark muesli",
    ),
    (
        Aisle::Produce,
        "apple banana pear lemon lime orange berry strawberry cherry grape plum peach mango pineapple avocado tomato \
         potato onion garlic carrot celery leek cabbage lettuce salad spinach cucumber zucchini courgette eggplant aubergine \
         mushroom broccoli cauliflower pea corn pumpkin squash ginger parsley basil coriander mint dill chive herb chili \
         radish beet fennel asparagus kale apfel banane birne zitrone limette beere erdbeere kirsche traube pflaume pfirsich \
         tomate kartoffel zwiebel knoblauch karotte ruebli mohre sellerie lauch kohl salat spinat gurke zucchetti pilz \
         champignon erbse kurbis ingwer petersilie basilikum koriander minze schnittlauch kraut rettich fenchel spargel",
    ),
    (Aisle::Bakery, "bread roll bun baguette toast croissant tortilla brot brotchen semmel zopf weggli"),
    (
        Aisle::Meat,
        "beef pork chicken lamb veal turkey ham bacon sausage mince steak fish salmon tuna cod haddock shrimp prawn meat \
         rind schwein poulet huhn hahnchen lamm kalb pute schinken speck wurst hackfleisch fisch lachs thunfisch garnele \
         fleisch",
    ),
    (
        Aisle::Dairy,
        "milk butter cream cheese yogurt yoghurt egg parmesan mozzarella feta ricotta quark mascarpone creme milch rahm \
         sahne kase joghurt ei",
    ),
    (Aisle::Drinks, "water juice wine beer coffee tea lemonade wasser saft wein bier kaffee tee"),
    (
        Aisle::Household,
        "paper foil soap detergent sponge candle bag toilet napkin papier folie seife waschmittel schwamm kerze sack serviette",
    ),
];

/// Words that stand elsewhere together than the last of them alone.
const PAIRS: &[(Aisle, &[&str])] = &[
    (
        Aisle::Produce,
        &[
            "bell pepper",
            "red pepper",
            "green pepper",
            "yellow pepper",
            "sweet pepper",
            "green bean",
            "grune bohne",
        ],
    ),
    (Aisle::Pantry, &["peanut butter", "almond butter", "tomato paste", "tomato puree"]),
];

impl Aisle {
    /// Its name, as pages call it.
    pub const fn name(self) -> &'static str {
        match self {
            Aisle::Produce => "Fruit and vegetables",
            Aisle::Bakery => "Bread",
            Aisle::Meat => "Meat and fish",
            Aisle::Dairy => "Milk, cheese, eggs",
            Aisle::Pantry => "Pantry",
            Aisle::Spices => "Spices and sugar",
            Aisle::Frozen => "Frozen",
            Aisle::Drinks => "Drinks",
            Aisle::Household => "Household",
            Aisle::Other => "Everything else",
        }
    }

    /// Where something of this name stands. Of several words that are known, the last one says what it is: `coconut milk` is
    /// milk, and frozen peas are frozen.
    pub fn of(name: &str) -> Aisle {
        let name = name.split(',').next().unwrap_or(name);
        let words = words(name);
        let found: Vec<Aisle> = words.iter().filter_map(|word| aisle_of(word)).collect();
        if found.contains(&Aisle::Frozen) {
            return Aisle::Frozen;
        }
        let pair = words.windows(2).find_map(|two| aisle_of_pair(&two.join(" ")));
        pair.or(found.last().copied()).unwrap_or(Aisle::Other)
    }
}

fn aisle_of(word: &str) -> Option<Aisle> {
    let stems = stems(word);
    WORDS.iter().find_map(|(aisle, known)| {
        let is_known = known.split_whitespace().any(|known| stems.iter().any(|stem| stem == known));
        is_known.then_some(*aisle)
    })
}

fn aisle_of_pair(pair: &str) -> Option<Aisle> {
    let stems = stems(pair);
    let is_known = |known: &[&str]| known.iter().any(|known| stems.iter().any(|stem| stem == known));
    PAIRS.iter().find(|(_, known)| is_known(known)).map(|(aisle, _)| *aisle)
}

/// What something may be called if there is only one of it.
fn stems(word: &str) -> Vec<String> {
    // Plurals of both languages, the longest ending first.
    let stems = ["", "ies", "es", "en", "er", "s", "n", "e"].iter().filter_map(|end| {
        let stem = word.strip_suffix(end)?;
        Some(if *end == "ies" { format!("{stem}y") } else { stem.to_owned() })
    });
    stems.filter(|stem| stem.len() > 1).collect()
}

#[cfg(test)]
mod tests {
    use super::Aisle;

    #[test]
    fn things_stand_where_one_looks_for_them() {
        for (name, expected) in [
            ("red onions, diced", Aisle::Produce),
            ("Tomaten", Aisle::Produce),
            ("coconut milk", Aisle::Dairy),
            ("chicken stock", Aisle::Pantry),
            ("frozen peas", Aisle::Frozen),
            ("eggs", Aisle::Dairy),
            ("Eier", Aisle::Dairy),
            ("black pepper", Aisle::Spices),
            ("red bell peppers, diced", Aisle::Produce),
            ("peanut butter", Aisle::Pantry),
            ("Grüne Bohnen", Aisle::Produce),
            ("olive oil", Aisle::Pantry),
            ("Brötchen", Aisle::Bakery),
            ("berries", Aisle::Produce),
            ("wine", Aisle::Drinks),
            ("something odd", Aisle::Other),
            ("", Aisle::Other),
        ] {
            assert_eq!(Aisle::of(name), expected, "{name}");
        }
    }
}
