-- The first schema. Keys begin with the family, so that a row can only belong to what is of the same family. CHECKs repeat
-- the limits of the domain types. Times are milliseconds since 1970, days are days since then, ids are 16 bytes.

CREATE TABLE families (
    id BLOB PRIMARY KEY CHECK (length(id) = 16),
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    revision INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE members (
    family_id BLOB NOT NULL REFERENCES families (id) ON DELETE CASCADE,
    email TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('viewer', 'editor', 'owner')),
    PRIMARY KEY (family_id, email)
) STRICT, WITHOUT ROWID;
CREATE INDEX members_by_email ON members (email);

-- `seq` is the row of the search index; an implicit rowid could change when the file is compacted.
CREATE TABLE recipes (
    seq INTEGER PRIMARY KEY,
    family_id BLOB NOT NULL REFERENCES families (id) ON DELETE CASCADE,
    id BLOB NOT NULL CHECK (length(id) = 16),
    title TEXT NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
    title_key TEXT NOT NULL,
    description TEXT CHECK (length(description) <= 2000),
    prep_time_minutes INTEGER CHECK (prep_time_minutes BETWEEN 0 AND 525600),
    cook_time_minutes INTEGER CHECK (cook_time_minutes BETWEEN 0 AND 525600),
    servings INTEGER CHECK (servings BETWEEN 1 AND 1000),
    difficulty INTEGER CHECK (difficulty BETWEEN 1 AND 5),
    rating INTEGER CHECK (rating BETWEEN 1 AND 5),
    yield_text TEXT CHECK (length(yield_text) <= 100),
    source_url TEXT CHECK (length(source_url) <= 2000),
    notes TEXT CHECK (length(notes) <= 10000),
    nutrition TEXT CHECK (length(nutrition) <= 2000),
    -- A JSON array, so that a list of recipes reads one table; `recipe_tags` is for finding by tag.
    tags TEXT NOT NULL DEFAULT '[]',
    photo_id BLOB,
    times_cooked INTEGER NOT NULL DEFAULT 0,
    last_cooked_at INTEGER,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    created_by TEXT,
    updated_at INTEGER NOT NULL,
    updated_by TEXT,
    deleted_at INTEGER,
    UNIQUE (family_id, id)
) STRICT;
CREATE UNIQUE INDEX recipes_by_title ON recipes (family_id, title_key) WHERE deleted_at IS NULL;
CREATE INDEX recipes_by_id ON recipes (id);
CREATE INDEX recipes_in_trash ON recipes (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE ingredients (
    family_id BLOB NOT NULL,
    recipe_id BLOB NOT NULL,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    quantity REAL CHECK (quantity >= 0),
    quantity_max REAL CHECK (quantity_max >= 0),
    unit TEXT,
    notes TEXT,
    section TEXT,
    original_text TEXT,
    scales INTEGER NOT NULL,
    PRIMARY KEY (family_id, recipe_id, position),
    FOREIGN KEY (family_id, recipe_id) REFERENCES recipes (family_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE steps (
    family_id BLOB NOT NULL,
    recipe_id BLOB NOT NULL,
    position INTEGER NOT NULL,
    instruction TEXT NOT NULL,
    duration_minutes INTEGER CHECK (duration_minutes >= 0),
    temperature_value INTEGER,
    temperature_unit TEXT CHECK (temperature_unit IN ('Celsius', 'Fahrenheit')),
    section TEXT,
    PRIMARY KEY (family_id, recipe_id, position),
    FOREIGN KEY (family_id, recipe_id) REFERENCES recipes (family_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE recipe_tags (
    family_id BLOB NOT NULL,
    tag_key TEXT NOT NULL,
    recipe_id BLOB NOT NULL,
    tag TEXT NOT NULL,
    PRIMARY KEY (family_id, tag_key, recipe_id),
    FOREIGN KEY (family_id, recipe_id) REFERENCES recipes (family_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX recipe_tags_by_recipe ON recipe_tags (family_id, recipe_id);

CREATE VIRTUAL TABLE recipe_search USING fts5 (
    title, description, ingredients, tags, family,
    content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
);

CREATE TABLE photos (
    family_id BLOB NOT NULL,
    recipe_id BLOB NOT NULL,
    id BLOB NOT NULL,
    mime TEXT NOT NULL,
    bytes BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (family_id, recipe_id),
    FOREIGN KEY (family_id, recipe_id) REFERENCES recipes (family_id, id) ON DELETE CASCADE
) STRICT;

CREATE TABLE meals (
    family_id BLOB NOT NULL REFERENCES families (id) ON DELETE CASCADE,
    id BLOB NOT NULL,
    day INTEGER NOT NULL,
    slot INTEGER NOT NULL CHECK (slot BETWEEN 0 AND 3),
    recipe_id BLOB,
    text TEXT,
    servings INTEGER,
    PRIMARY KEY (family_id, id),
    FOREIGN KEY (family_id, recipe_id) REFERENCES recipes (family_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX meals_by_day ON meals (family_id, day);
CREATE INDEX meals_by_recipe ON meals (family_id, recipe_id);

CREATE TABLE shopping_items (
    family_id BLOB NOT NULL REFERENCES families (id) ON DELETE CASCADE,
    list_key TEXT NOT NULL,
    position INTEGER NOT NULL,
    list_name TEXT NOT NULL,
    id BLOB NOT NULL,
    name TEXT NOT NULL,
    quantity REAL,
    unit TEXT,
    checked INTEGER NOT NULL,
    PRIMARY KEY (family_id, list_key, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE shares (
    family_id BLOB NOT NULL,
    id BLOB NOT NULL,
    recipe_id BLOB NOT NULL,
    token BLOB NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    created_by TEXT,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (family_id, id),
    FOREIGN KEY (family_id, recipe_id) REFERENCES recipes (family_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX shares_by_recipe ON shares (family_id, recipe_id);

CREATE TABLE api_keys (
    id BLOB PRIMARY KEY,
    hash BLOB NOT NULL,
    label TEXT NOT NULL,
    family_id BLOB REFERENCES families (id) ON DELETE CASCADE,
    role TEXT CHECK (role IN ('viewer', 'editor', 'owner')),
    created_at INTEGER NOT NULL,
    created_by TEXT,
    expires_at INTEGER,
    revoked_at INTEGER,
    last_used_at INTEGER,
    CHECK ((family_id IS NULL) = (role IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
    token BLOB PRIMARY KEY,
    email TEXT NOT NULL,
    family_id BLOB NOT NULL REFERENCES families (id) ON DELETE CASCADE,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What members sign in to the pages with, as Argon2id.
CREATE TABLE passwords (
    family_id BLOB PRIMARY KEY REFERENCES families (id) ON DELETE CASCADE,
    hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE once_keys (
    family_id BLOB NOT NULL,
    key TEXT NOT NULL,
    recipe_id BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (family_id, key),
    FOREIGN KEY (family_id, recipe_id) REFERENCES recipes (family_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX once_keys_by_age ON once_keys (created_at);
