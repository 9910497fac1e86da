-- What a family has besides its recipes: a time zone, so that "today" is theirs; which meals are shopped for; favourites
-- and passwords of single people. Cards have small photos, and a repeated write must say the same thing again.

ALTER TABLE families ADD COLUMN time_zone text CHECK (length(time_zone) BETWEEN 1 AND 64);
ALTER TABLE meals ADD COLUMN shopped boolean NOT NULL DEFAULT false;
ALTER TABLE photos ADD COLUMN small bytea;
ALTER TABLE once_keys ADD COLUMN request bytea;

CREATE TABLE favourites (
    family_id uuid NOT NULL,
    email text COLLATE "C" NOT NULL,
    recipe_id uuid NOT NULL,
    PRIMARY KEY (family_id, email, recipe_id),
    FOREIGN KEY (family_id, recipe_id) REFERENCES recipes (family_id, id) ON DELETE CASCADE
);
CREATE INDEX favourites_by_recipe ON favourites (family_id, recipe_id);
ALTER TABLE favourites ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON favourites TO recipe_vault_god;
CREATE POLICY every_family ON favourites TO recipe_vault_god USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON favourites TO recipe_vault_family;
CREATE POLICY one_family ON favourites TO recipe_vault_family
    USING (family_id = nullif(current_setting('rv.family', true), '')::uuid);

CREATE TABLE own_passwords (
    email text COLLATE "C" PRIMARY KEY,
    hash text NOT NULL
);
ALTER TABLE own_passwords ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON own_passwords TO recipe_vault_god;
CREATE POLICY every_family ON own_passwords TO recipe_vault_god USING (true) WITH CHECK (true);

CREATE INDEX sessions_by_email ON sessions (email);

-- Functions are for everybody unless somebody says otherwise, and this one looks past row-level security.
REVOKE EXECUTE ON FUNCTION matching_recipes(tsquery) FROM PUBLIC;
