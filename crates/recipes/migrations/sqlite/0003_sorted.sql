-- What titles are sorted by, which is not what tells them apart: `Älplermagronen` stands among the As. The program fills it
-- in for the recipes that are here already.

ALTER TABLE recipes ADD COLUMN sort_key TEXT NOT NULL DEFAULT '';
DROP INDEX recipes_listed;
CREATE INDEX recipes_listed ON recipes (family_id, sort_key, id, listed) WHERE deleted_at IS NULL;

-- Lists that clients keep have another order now.
UPDATE families SET revision = revision + 1;
