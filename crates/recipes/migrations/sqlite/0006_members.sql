-- Each family says for itself who somebody is: a password of one's own opens one family, and goes with the membership. Who is
-- in several families is at home in the one they joined first.

ALTER TABLE members ADD COLUMN joined_at INTEGER NOT NULL DEFAULT 0;

CREATE TABLE member_passwords (
    family_id BLOB NOT NULL,
    email TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (family_id, email),
    FOREIGN KEY (family_id, email) REFERENCES members (family_id, email) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO member_passwords SELECT m.family_id, m.email, o.hash FROM members m JOIN own_passwords o ON o.email = m.email;
DROP TABLE own_passwords;
