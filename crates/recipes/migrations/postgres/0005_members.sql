-- Each family says for itself who somebody is: a password of one's own opens one family, and goes with the membership. Who is
-- in several families is at home in the one they joined first.

ALTER TABLE members ADD COLUMN joined_at bigint NOT NULL DEFAULT 0;

CREATE TABLE member_passwords (
    family_id uuid NOT NULL,
    email text COLLATE "C" NOT NULL,
    hash text NOT NULL,
    PRIMARY KEY (family_id, email),
    FOREIGN KEY (family_id, email) REFERENCES members (family_id, email) ON DELETE CASCADE
);
ALTER TABLE member_passwords ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON member_passwords TO recipe_vault_god;
CREATE POLICY every_family ON member_passwords TO recipe_vault_god USING (true) WITH CHECK (true);

-- The owner of the tables does not see what is in them.
SET LOCAL ROLE recipe_vault_god;
INSERT INTO member_passwords SELECT m.family_id, m.email, o.hash FROM members m JOIN own_passwords o ON o.email = m.email;
RESET ROLE;
DROP TABLE own_passwords;
