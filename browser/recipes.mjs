// Recipes of a family, for the tests and the screenshots.

const of = (name, quantity, unit, notes, section) => ({ name, quantity, unit, notes, section });
const step = (instruction, duration_minutes, temperature_value) => ({
    instruction, duration_minutes, temperature_value, temperature_unit: temperature_value ? "Celsius" : undefined,
});

export const recipes = [
    {
        title: "Grandmother’s apple cake",
        description: "Soft, buttery and covered with thin slices of apple. Better on the second day, if there is one.",
        prep_time_minutes: 25, cook_time_minutes: 50, servings: 8, difficulty: 2, rating: 5, tags: ["cake", "autumn"],
        ingredients: [
            of("butter", 125, "g", "soft", "For the batter"), of("sugar", 120, "g", undefined, "For the batter"),
            of("eggs", 3, undefined, undefined, "For the batter"), of("flour", 200, "g", undefined, "For the batter"),
            of("baking powder", 2, "tsp", undefined, "For the batter"), of("milk", 60, "ml", undefined, "For the batter"),
            of("apples", 4, undefined, "peeled, in thin slices", "For the top"), of("cinnamon", 0.5, "tsp", undefined, "For the top"),
        ],
        steps: [
            step("Heat the oven and butter a round tin.", undefined, 180),
            step("Beat the butter with the sugar until pale, then add the eggs one after the other.", 8),
            step("Fold in the flour and baking powder, then the milk.", 3),
            step("Spread the batter in the tin, lay the apples on top in circles and dust them with cinnamon.", 10),
            step("Bake until golden and a needle comes out clean.", 50, 180),
        ],
        notes: "Use tart apples. Anna leaves out the cinnamon.",
    },
    {
        title: "Red lentil soup", description: "A pot of comfort, with lemon and cumin.", prep_time_minutes: 10,
        cook_time_minutes: 25, servings: 4, difficulty: 1, rating: 4, tags: ["soup", "quick", "vegan"],
        ingredients: [of("red lentils", 250, "g"), of("onion", 1), of("cumin", 1, "tsp"), of("vegetable stock", 1, "l"), of("lemon", 1)],
        steps: [step("Fry the onion with the cumin.", 5), step("Add the lentils and the stock and let it simmer.", 20), step("Stir in the juice of the lemon.")],
    },
    {
        title: "Sunday roast chicken", description: "Crisp skin, one pan, hardly any work.", prep_time_minutes: 15,
        cook_time_minutes: 80, servings: 4, difficulty: 3, rating: 5, tags: ["sunday"],
        ingredients: [of("chicken", 1.6, "kg"), of("potatoes", 1, "kg"), of("butter", 50, "g"), of("thyme", 4, "sprigs")],
        steps: [step("Rub the chicken with the butter.", 5), step("Roast on the potatoes with the thyme.", 80, 200)],
    },
    { title: "Pesto alla genovese", description: "Basil, patience and a mortar.", prep_time_minutes: 15, servings: 4, tags: ["quick", "pasta"],
      ingredients: [of("basil", 2, "bunches"), of("pine nuts", 30, "g"), of("olive oil", 0.5, "cup")], steps: [step("Pound everything.", 10)] },
    { title: "Bircher muesli", description: "Overnight oats from before they had a name.", prep_time_minutes: 10, servings: 2, tags: ["breakfast"] },
    { title: "Fish pie", description: "Smoked haddock under mashed potatoes.", prep_time_minutes: 30, cook_time_minutes: 40, servings: 6, rating: 4, tags: ["sunday"] },
    { title: "Dark rye bread", description: "Three days of waiting, fifteen minutes of work.", prep_time_minutes: 15, cook_time_minutes: 60, difficulty: 4, tags: ["bread"] },
    { title: "Cherry clafoutis", description: "Batter poured over the first cherries of June.", prep_time_minutes: 15, cook_time_minutes: 35, servings: 6, rating: 5, tags: ["cake", "summer"] },
];
