-- What the list says about a recipe, as JSON. It is kept in the index alone, in the order of titles: the whole list is read
-- from one end to the other, without looking at a single recipe.

ALTER TABLE recipes ADD COLUMN listed TEXT GENERATED ALWAYS AS (
    '{"id":"' || lower(
        substr(hex(id), 1, 8) || '-' || substr(hex(id), 9, 4) || '-' || substr(hex(id), 13, 4) || '-'
        || substr(hex(id), 17, 4) || '-' || substr(hex(id), 21)
    )
    || '","title":' || json_quote(title)
    || ',"description":' || json_quote(description)
    || coalesce(',"prep_time_minutes":' || prep_time_minutes, '')
    || coalesce(',"cook_time_minutes":' || cook_time_minutes, '')
    || coalesce(',"servings":' || servings, '')
    || coalesce(',"difficulty":' || difficulty, '')
    || iif(tags = '[]', '', ',"tags":' || tags)
    || '}'
) VIRTUAL;

CREATE INDEX recipes_listed ON recipes (family_id, title_key, id, listed) WHERE deleted_at IS NULL;
