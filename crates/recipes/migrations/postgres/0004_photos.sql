-- A recipe may have several photos. Which there are and what they show is a JSON array beside the tags; `photo_id` is the
-- one that cards show.

ALTER TABLE recipes ADD COLUMN photos text NOT NULL DEFAULT '[]';
ALTER TABLE photos DROP CONSTRAINT photos_pkey, ADD PRIMARY KEY (family_id, recipe_id, id);

-- The owner of the tables does not see what is in them.
SET LOCAL ROLE recipe_vault_god;
UPDATE recipes SET photos = '[{"id":"' || photo_id || '"}]' WHERE photo_id IS NOT NULL;
RESET ROLE;
