-- What titles are sorted by, which is not what tells them apart: `Älplermagronen` stands among the As. The program fills it
-- in for the recipes that are here already.

ALTER TABLE recipes ADD COLUMN sort_key text COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX recipes_sorted ON recipes (family_id, sort_key, id) WHERE deleted_at IS NULL;
