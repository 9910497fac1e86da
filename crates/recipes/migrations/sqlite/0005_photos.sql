-- A recipe may have several photos. Which there are and what they show is a JSON array beside the tags; `photo_id` is the
-- one that cards show.

ALTER TABLE recipes ADD COLUMN photos TEXT NOT NULL DEFAULT '[]';
UPDATE recipes SET photos = '[{"id":"' || lower(
    substr(hex(photo_id), 1, 8) || '-' || substr(hex(photo_id), 9, 4) || '-' || substr(hex(photo_id), 13, 4) || '-'
    || substr(hex(photo_id), 17, 4) || '-' || substr(hex(photo_id), 21)
) || '"}]' WHERE photo_id IS NOT NULL;

ALTER TABLE photos RENAME TO one_photo_each;
CREATE TABLE photos (
    family_id BLOB NOT NULL,
    recipe_id BLOB NOT NULL,
    id BLOB NOT NULL,
    mime TEXT NOT NULL,
    bytes BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    small BLOB,
    PRIMARY KEY (family_id, recipe_id, id),
    FOREIGN KEY (family_id, recipe_id) REFERENCES recipes (family_id, id) ON DELETE CASCADE
) STRICT;
INSERT INTO photos SELECT family_id, recipe_id, id, mime, bytes, created_at, small FROM one_photo_each;
DROP TABLE one_photo_each;
