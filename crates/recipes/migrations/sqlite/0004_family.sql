-- What a family has besides its recipes: a time zone, so that "today" is theirs; which meals are shopped for; favourites
-- and passwords of single people. Cards have small photos, and a repeated write must say the same thing again.

ALTER TABLE families ADD COLUMN time_zone TEXT CHECK (length(time_zone) BETWEEN 1 AND 64);
ALTER TABLE meals ADD COLUMN shopped INTEGER NOT NULL DEFAULT 0 CHECK (shopped IN (0, 1));
ALTER TABLE photos ADD COLUMN small BLOB;
ALTER TABLE once_keys ADD COLUMN request BLOB;

CREATE TABLE favourites (
    family_id BLOB NOT NULL,
    email TEXT NOT NULL,
    recipe_id BLOB NOT NULL,
    PRIMARY KEY (family_id, email, recipe_id),
    FOREIGN KEY (family_id, recipe_id) REFERENCES recipes (family_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX favourites_by_recipe ON favourites (family_id, recipe_id);

CREATE TABLE own_passwords (
    email TEXT PRIMARY KEY,
    hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_email ON sessions (email);

-- The words of recipes are folded by the program now, as for PostgreSQL; it fills the index again.
DROP TABLE recipe_search;
CREATE VIRTUAL TABLE recipe_search USING fts5 (
    title, description, ingredients, tags, family,
    content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 0', prefix = '2 3'
);
CREATE VIRTUAL TABLE recipe_words USING fts5vocab (recipe_search, row);
