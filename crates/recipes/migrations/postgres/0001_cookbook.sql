-- The first schema; the same tables as SQLite's. Keys begin with the family, so that a row can only belong to what is of the
-- same family. CHECKs repeat the limits of the domain types. Times are milliseconds since 1970, days are days since then.
-- What is sorted by is compared byte by byte, as SQLite does.
--
-- The second wall: every table has row-level security, also for its owner. A transaction takes the role of a family, which
-- sees the rows of the family named in `rv.family` and nothing without one, or the role that sees everything.

CREATE EXTENSION IF NOT EXISTS btree_gin;

CREATE TABLE families (
    id uuid PRIMARY KEY,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    revision bigint NOT NULL,
    created_at bigint NOT NULL
);

CREATE TABLE members (
    family_id uuid NOT NULL REFERENCES families (id) ON DELETE CASCADE,
    email text COLLATE "C" NOT NULL,
    role text NOT NULL CHECK (role IN ('viewer', 'editor', 'owner')),
    PRIMARY KEY (family_id, email)
);
CREATE INDEX members_by_email ON members (email);

-- `seq` is the order in which recipes came.
CREATE TABLE recipes (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    family_id uuid NOT NULL REFERENCES families (id) ON DELETE CASCADE,
    id uuid NOT NULL,
    title text NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
    title_key text COLLATE "C" NOT NULL,
    description text CHECK (length(description) <= 2000),
    prep_time_minutes bigint CHECK (prep_time_minutes BETWEEN 0 AND 525600),
    cook_time_minutes bigint CHECK (cook_time_minutes BETWEEN 0 AND 525600),
    servings bigint CHECK (servings BETWEEN 1 AND 1000),
    difficulty bigint CHECK (difficulty BETWEEN 1 AND 5),
    rating bigint CHECK (rating BETWEEN 1 AND 5),
    yield_text text CHECK (length(yield_text) <= 100),
    source_url text CHECK (length(source_url) <= 2000),
    notes text CHECK (length(notes) <= 10000),
    nutrition text CHECK (length(nutrition) <= 2000),
    -- A JSON array, so that a list of recipes reads one table; `recipe_tags` is for finding by tag.
    tags text NOT NULL DEFAULT '[]',
    photo_id uuid,
    times_cooked bigint NOT NULL DEFAULT 0,
    last_cooked_at bigint,
    version bigint NOT NULL,
    created_at bigint NOT NULL,
    created_by text,
    updated_at bigint NOT NULL,
    updated_by text,
    deleted_at bigint,
    -- The words it is found by, without accents, in lower case.
    words tsvector NOT NULL DEFAULT '',
    UNIQUE (family_id, id)
);
CREATE UNIQUE INDEX recipes_by_title ON recipes (family_id, title_key) WHERE deleted_at IS NULL;
CREATE INDEX recipes_by_words ON recipes USING gin (family_id, words) WHERE deleted_at IS NULL;
CREATE INDEX recipes_by_id ON recipes (id);
CREATE INDEX recipes_in_trash ON recipes (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE ingredients (
    family_id uuid NOT NULL,
    recipe_id uuid NOT NULL,
    position bigint NOT NULL,
    name text NOT NULL,
    quantity double precision CHECK (quantity >= 0),
    quantity_max double precision CHECK (quantity_max >= 0),
    unit text,
    notes text,
    section text,
    original_text text,
    scales boolean NOT NULL,
    PRIMARY KEY (family_id, recipe_id, position),
    FOREIGN KEY (family_id, recipe_id) REFERENCES recipes (family_id, id) ON DELETE CASCADE
);

CREATE TABLE steps (
    family_id uuid NOT NULL,
    recipe_id uuid NOT NULL,
    position bigint NOT NULL,
    instruction text NOT NULL,
    duration_minutes bigint CHECK (duration_minutes >= 0),
    temperature_value bigint,
    temperature_unit text CHECK (temperature_unit IN ('Celsius', 'Fahrenheit')),
    section text,
    PRIMARY KEY (family_id, recipe_id, position),
    FOREIGN KEY (family_id, recipe_id) REFERENCES recipes (family_id, id) ON DELETE CASCADE
);

CREATE TABLE recipe_tags (
    family_id uuid NOT NULL,
    tag_key text COLLATE "C" NOT NULL,
    recipe_id uuid NOT NULL,
    tag text COLLATE "C" NOT NULL,
    PRIMARY KEY (family_id, tag_key, recipe_id),
    FOREIGN KEY (family_id, recipe_id) REFERENCES recipes (family_id, id) ON DELETE CASCADE
);
CREATE INDEX recipe_tags_by_recipe ON recipe_tags (family_id, recipe_id);

CREATE TABLE photos (
    family_id uuid NOT NULL,
    recipe_id uuid NOT NULL,
    id uuid NOT NULL,
    mime text NOT NULL,
    bytes bytea NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (family_id, recipe_id),
    FOREIGN KEY (family_id, recipe_id) REFERENCES recipes (family_id, id) ON DELETE CASCADE
);

CREATE TABLE meals (
    family_id uuid NOT NULL REFERENCES families (id) ON DELETE CASCADE,
    id uuid NOT NULL,
    day integer NOT NULL,
    slot bigint NOT NULL CHECK (slot BETWEEN 0 AND 3),
    recipe_id uuid,
    text text,
    servings bigint,
    PRIMARY KEY (family_id, id),
    FOREIGN KEY (family_id, recipe_id) REFERENCES recipes (family_id, id) ON DELETE CASCADE
);
CREATE INDEX meals_by_day ON meals (family_id, day);
CREATE INDEX meals_by_recipe ON meals (family_id, recipe_id);

CREATE TABLE shopping_items (
    family_id uuid NOT NULL REFERENCES families (id) ON DELETE CASCADE,
    list_key text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    list_name text COLLATE "C" NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    quantity double precision,
    unit text,
    checked boolean NOT NULL,
    PRIMARY KEY (family_id, list_key, position)
);

CREATE TABLE shares (
    family_id uuid NOT NULL,
    id uuid NOT NULL,
    recipe_id uuid NOT NULL,
    token bytea NOT NULL UNIQUE,
    created_at bigint NOT NULL,
    created_by text,
    expires_at bigint NOT NULL,
    PRIMARY KEY (family_id, id),
    FOREIGN KEY (family_id, recipe_id) REFERENCES recipes (family_id, id) ON DELETE CASCADE
);
CREATE INDEX shares_by_recipe ON shares (family_id, recipe_id);

CREATE TABLE api_keys (
    id uuid PRIMARY KEY,
    hash bytea NOT NULL,
    label text NOT NULL,
    family_id uuid REFERENCES families (id) ON DELETE CASCADE,
    role text CHECK (role IN ('viewer', 'editor', 'owner')),
    created_at bigint NOT NULL,
    created_by text,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint,
    CHECK ((family_id IS NULL) = (role IS NULL))
);

CREATE TABLE sessions (
    token bytea PRIMARY KEY,
    email text COLLATE "C" NOT NULL,
    family_id uuid NOT NULL REFERENCES families (id) ON DELETE CASCADE,
    expires_at bigint NOT NULL
);

-- What members sign in to the pages with, as Argon2id.
CREATE TABLE passwords (
    family_id uuid PRIMARY KEY REFERENCES families (id) ON DELETE CASCADE,
    hash text NOT NULL
);

CREATE TABLE once_keys (
    family_id uuid NOT NULL,
    key text NOT NULL,
    recipe_id uuid NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (family_id, key),
    FOREIGN KEY (family_id, recipe_id) REFERENCES recipes (family_id, id) ON DELETE CASCADE
);
CREATE INDEX once_keys_by_age ON once_keys (created_at);

GRANT USAGE ON SCHEMA public TO recipe_vault_family, recipe_vault_god;

ALTER TABLE families ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON families TO recipe_vault_god;
CREATE POLICY every_family ON families TO recipe_vault_god USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON families TO recipe_vault_family;
CREATE POLICY one_family ON families TO recipe_vault_family
    USING (id = nullif(current_setting('rv.family', true), '')::uuid);

ALTER TABLE members ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON members TO recipe_vault_god;
CREATE POLICY every_family ON members TO recipe_vault_god USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON members TO recipe_vault_family;
CREATE POLICY one_family ON members TO recipe_vault_family
    USING (family_id = nullif(current_setting('rv.family', true), '')::uuid);

ALTER TABLE recipes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON recipes TO recipe_vault_god;
CREATE POLICY every_family ON recipes TO recipe_vault_god USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON recipes TO recipe_vault_family;
CREATE POLICY one_family ON recipes TO recipe_vault_family
    USING (family_id = nullif(current_setting('rv.family', true), '')::uuid);

ALTER TABLE ingredients ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON ingredients TO recipe_vault_god;
CREATE POLICY every_family ON ingredients TO recipe_vault_god USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON ingredients TO recipe_vault_family;
CREATE POLICY one_family ON ingredients TO recipe_vault_family
    USING (family_id = nullif(current_setting('rv.family', true), '')::uuid);

ALTER TABLE steps ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON steps TO recipe_vault_god;
CREATE POLICY every_family ON steps TO recipe_vault_god USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON steps TO recipe_vault_family;
CREATE POLICY one_family ON steps TO recipe_vault_family
    USING (family_id = nullif(current_setting('rv.family', true), '')::uuid);

ALTER TABLE recipe_tags ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON recipe_tags TO recipe_vault_god;
CREATE POLICY every_family ON recipe_tags TO recipe_vault_god USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON recipe_tags TO recipe_vault_family;
CREATE POLICY one_family ON recipe_tags TO recipe_vault_family
    USING (family_id = nullif(current_setting('rv.family', true), '')::uuid);

ALTER TABLE photos ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON photos TO recipe_vault_god;
CREATE POLICY every_family ON photos TO recipe_vault_god USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON photos TO recipe_vault_family;
CREATE POLICY one_family ON photos TO recipe_vault_family
    USING (family_id = nullif(current_setting('rv.family', true), '')::uuid);

ALTER TABLE meals ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON meals TO recipe_vault_god;
CREATE POLICY every_family ON meals TO recipe_vault_god USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON meals TO recipe_vault_family;
CREATE POLICY one_family ON meals TO recipe_vault_family
    USING (family_id = nullif(current_setting('rv.family', true), '')::uuid);

ALTER TABLE shopping_items ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON shopping_items TO recipe_vault_god;
CREATE POLICY every_family ON shopping_items TO recipe_vault_god USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON shopping_items TO recipe_vault_family;
CREATE POLICY one_family ON shopping_items TO recipe_vault_family
    USING (family_id = nullif(current_setting('rv.family', true), '')::uuid);

ALTER TABLE shares ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON shares TO recipe_vault_god;
CREATE POLICY every_family ON shares TO recipe_vault_god USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON shares TO recipe_vault_family;
CREATE POLICY one_family ON shares TO recipe_vault_family
    USING (family_id = nullif(current_setting('rv.family', true), '')::uuid);

ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON api_keys TO recipe_vault_god;
CREATE POLICY every_family ON api_keys TO recipe_vault_god USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON api_keys TO recipe_vault_family;
CREATE POLICY one_family ON api_keys TO recipe_vault_family
    USING (family_id = nullif(current_setting('rv.family', true), '')::uuid);

ALTER TABLE passwords ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON passwords TO recipe_vault_god;
CREATE POLICY every_family ON passwords TO recipe_vault_god USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON passwords TO recipe_vault_family;
CREATE POLICY one_family ON passwords TO recipe_vault_family
    USING (family_id = nullif(current_setting('rv.family', true), '')::uuid);

ALTER TABLE once_keys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON once_keys TO recipe_vault_god;
CREATE POLICY every_family ON once_keys TO recipe_vault_god USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON once_keys TO recipe_vault_family;
CREATE POLICY one_family ON once_keys TO recipe_vault_family
    USING (family_id = nullif(current_setting('rv.family', true), '')::uuid);

ALTER TABLE sessions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON sessions TO recipe_vault_god;
CREATE POLICY every_family ON sessions TO recipe_vault_god USING (true) WITH CHECK (true);

-- Under row-level security the operator of the full-text index is not trusted to run before the policy, so the index would
-- not be used. This function runs as the role that sees everything, and looks at the family of the transaction alone.
CREATE FUNCTION matching_recipes(query tsquery) RETURNS TABLE (seq bigint, rank real)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT r.seq, ts_rank('{0.1, 0.4, 0.6, 1.0}', r.words, query) FROM recipes r
    WHERE r.family_id = nullif(current_setting('rv.family', true), '')::uuid AND r.words @@ query AND r.deleted_at IS NULL
$$;
GRANT CREATE ON SCHEMA public TO recipe_vault_god;
ALTER FUNCTION matching_recipes(tsquery) OWNER TO recipe_vault_god;
REVOKE CREATE ON SCHEMA public FROM recipe_vault_god;
GRANT EXECUTE ON FUNCTION matching_recipes(tsquery) TO recipe_vault_family;
