//! Exports of 1Password: the archive `.1pux`, and CSV. Other programs' CSV with the same columns works, too.
//!
//! An item becomes a secret of its title; its one-time password, concealed fields and notes become `TITLE/…`.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use zeroize::Zeroizing;

use super::{Found, ImportError, csv, zip};
use crate::secret::Attributes;

/// Reads a `.1pux` archive. What is archived there is left out.
pub fn read_1pux(archive: &[u8]) -> Result<Vec<Found>, ImportError> {
    let data = zip::file(archive, "export.data")?;
    let export: Export = serde_json::from_slice(&data).map_err(|error| ImportError::Format {
        expected: "an export of 1Password (1pux)",
        reason: format!("`export.data` has another structure (line {})", error.line()),
    })?;
    let mut items = Items::default();
    for item in export.accounts.into_iter().flat_map(|account| account.vaults).flat_map(|vault| vault.items) {
        if item.state != "archived" {
            items.add_item(item)?;
        }
    }
    Ok(items.found)
}

/// Reads a CSV export: columns by their names, of which a title and a password are needed.
pub fn read_csv(text: &str) -> Result<Vec<Found>, ImportError> {
    let mut rows = csv::rows(text)?.into_iter();
    let header = rows.next().unwrap_or_default();
    let column = |names: &[&str]| {
        header.iter().position(|title| names.contains(&title.trim().to_ascii_lowercase().as_str()))
    };
    let needed = |names: &[&str]| {
        column(names).ok_or_else(|| ImportError::Format {
            expected: "a CSV export of passwords",
            reason: format!("its first line names no column `{}`", names.first().unwrap_or(&"")),
        })
    };
    let (title, password) = (needed(&["title", "name"])?, needed(&["password", "login_password"])?);
    let (user, url) =
        (column(&["username", "login_username"]), column(&["url", "urls", "website", "login_uri"]));
    let (totp, tags) = (column(&["otpauth", "totp", "login_totp"]), column(&["tags"]));
    let (notes, archived) = (column(&["notes", "note"]), column(&["archived"]));
    let mut items = Items::default();
    for mut row in rows {
        let text = |row: &csv::Row, column: Option<usize>| {
            column.and_then(|at| row.get(at)).map(|field| field.as_str().to_owned()).unwrap_or_default()
        };
        if text(&row, archived).eq_ignore_ascii_case("true") {
            continue;
        }
        let tags = text(&row, tags).split([',', ';']).map(|tag| tag.trim().to_owned()).collect();
        let about = about(&text(&row, url), &text(&row, user), tags);
        let mut take = |column: Option<usize>| {
            column.and_then(|at| row.get_mut(at)).map(std::mem::take).unwrap_or_default()
        };
        let title = items.unique(&take(Some(title)));
        items.add(title.clone(), take(Some(password)), Some(about))?;
        items.add(format!("{title}/totp"), take(totp), None)?;
        items.add(format!("{title}/notes"), take(notes), None)?;
    }
    Ok(items.found)
}

/// What was found so far. Titles need not be unique there; here the second of a title is `TITLE 2`.
#[derive(Default)]
struct Items {
    found: Vec<Found>,
    titles: HashMap<String, usize>,
}

impl Items {
    fn unique(&mut self, title: &str) -> String {
        // As names here are compared: a title may differ from another in case alone.
        let seen = self.titles.entry(super::kebab(title)).or_default();
        *seen += 1;
        if *seen == 1 { title.to_owned() } else { format!("{title} {seen}") }
    }

    /// Adds a secret unless it is empty.
    fn add(
        &mut self,
        name: String,
        mut value: Zeroizing<String>,
        attributes: Option<Attributes>,
    ) -> Result<(), ImportError> {
        if !value.is_empty() {
            let found = Found::new(name, std::mem::take(&mut *value).into_bytes())?;
            self.found.push(Found { attributes, ..found });
        }
        Ok(())
    }

    fn add_item(&mut self, item: Item) -> Result<(), ImportError> {
        let Item { overview, details, .. } = item;
        let title = self.unique(&overview.title);
        let (mut user, mut password) = (String::new(), Zeroizing::new(details.password.unwrap_or_default()));
        for field in details.login_fields {
            match field.designation.as_deref() {
                Some("username") => user = field.value,
                Some("password") => password = Zeroizing::new(field.value),
                _ => {}
            }
        }
        let about = about(&overview.url.unwrap_or_default(), &user, overview.tags.unwrap_or_default());
        let notes = Zeroizing::new(details.notes.unwrap_or_default());
        if password.is_empty() {
            // A secure note is its text.
            self.add(title.clone(), notes, Some(about))?;
        } else {
            self.add(title.clone(), password, Some(about))?;
            self.add(format!("{title}/notes"), notes, None)?;
        }
        for field in details.sections.into_iter().flat_map(|section| section.fields) {
            let Some((kind, value)) = field.value.into_iter().next() else { continue };
            let Value::String(value) = value else { continue };
            let name = match kind.as_str() {
                "totp" => format!("{title}/totp"),
                "concealed" | "creditCardNumber" => format!("{title}/{}", field.title),
                _ => continue,
            };
            let name = self.unique(&name);
            self.add(name, Zeroizing::new(value), None)?;
        }
        Ok(())
    }
}

fn about(url: &str, user: &str, tags: Vec<String>) -> Attributes {
    let parts = [url.trim(), user.trim()].into_iter().filter(|part| !part.is_empty());
    let description = parts.collect::<Vec<_>>().join(", user ");
    Attributes {
        tags: tags.into_iter().filter(|tag| !tag.is_empty()).collect(),
        description: Some(description).filter(|text| !text.is_empty()),
        ..Attributes::default()
    }
}

#[derive(Deserialize)]
struct Export {
    accounts: Vec<Account>,
}

#[derive(Deserialize)]
struct Account {
    vaults: Vec<Vault>,
}

#[derive(Deserialize)]
struct Vault {
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(default)]
    state: String,
    overview: Overview,
    #[serde(default)]
    details: Details,
}

#[derive(Deserialize)]
struct Overview {
    title: String,
    url: Option<String>,
    tags: Option<Vec<String>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Details {
    #[serde(rename = "loginFields")]
    login_fields: Vec<LoginField>,
    #[serde(rename = "notesPlain")]
    notes: Option<String>,
    sections: Vec<Section>,
    password: Option<String>,
}

#[derive(Deserialize)]
struct LoginField {
    #[serde(default)]
    value: String,
    designation: Option<String>,
}

#[derive(Deserialize)]
struct Section {
    #[serde(default)]
    fields: Vec<SectionField>,
}

#[derive(Deserialize)]
struct SectionField {
    #[serde(default)]
    title: String,
    /// One entry: the kind of the value, and the value.
    #[serde(default)]
    value: serde_json::Map<String, Value>,
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::write::DeflateEncoder;
    use flate2::{Compression, Crc};

    use super::{read_1pux, read_csv};
    use crate::import::{Found, ImportError};

    const DATA: &str = r#"{"accounts":[{"attrs":{},"vaults":[{"attrs":{"name":"Private"},"items":[
        {"uuid":"a","state":"active","overview":{"title":"GitHub","url":"https://github.com","tags":["work"]},
         "details":{"loginFields":[{"value":"ada","designation":"username"},{"value":"hunter2","designation":"password"}],
          "notesPlain":"call Bob","sections":[{"title":"","fields":[
            {"title":"one-time password","value":{"totp":"otpauth://totp/x?secret=A"}},
            {"title":"PIN","value":{"concealed":"1234"}},{"title":"born","value":{"date":12}}]}]}},
        {"uuid":"b","state":"active","overview":{"title":"github"},"details":{"password":"other"}},
        {"uuid":"c","state":"active","overview":{"title":"Note"},"details":{"notesPlain":"text"}},
        {"uuid":"d","state":"archived","overview":{"title":"Old"},"details":{"password":"x"}}]}]}]}"#;

    fn archive(packed: bool) -> Vec<u8> {
        let (name, data) = (b"export.data", DATA.as_bytes());
        let mut crc = Crc::new();
        crc.update(data);
        let body = if packed {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(data).and_then(|()| encoder.finish()).expect("memory")
        } else {
            data.to_vec()
        };
        let small = |number: usize| u16::try_from(number).expect("small").to_le_bytes().to_vec();
        let large = |number: usize| u32::try_from(number).expect("small").to_le_bytes().to_vec();
        let method = small(if packed { 8 } else { 0 });
        let sizes =
            [crc.sum().to_le_bytes().to_vec(), large(body.len()), large(data.len()), small(name.len())]
                .concat();
        let local = [
            b"PK\x03\x04".to_vec(),
            vec![0; 4],
            method.clone(),
            vec![0; 4],
            sizes.clone(),
            small(0),
            name.to_vec(),
            body,
        ]
        .concat();
        let entry =
            [b"PK\x01\x02".to_vec(), vec![0; 6], method, vec![0; 4], sizes, vec![0; 16], name.to_vec()]
                .concat();
        let end = [
            b"PK\x05\x06".to_vec(),
            vec![0; 4],
            small(1),
            small(1),
            large(entry.len()),
            large(local.len()),
            small(0),
        ];
        [local, entry, end.concat()].concat()
    }

    fn pairs(found: &[Found]) -> Vec<(&str, &str)> {
        found.iter().map(|each| (each.name.as_str(), each.value.as_text().expect("text"))).collect()
    }

    #[test]
    fn an_archive_of_items() {
        for packed in [false, true] {
            let found = read_1pux(&archive(packed)).map_err(|error| error.to_string()).expect("an export");
            assert_eq!(
                pairs(&found),
                [
                    ("GitHub", "hunter2"),
                    ("GitHub/notes", "call Bob"),
                    ("GitHub/totp", "otpauth://totp/x?secret=A"),
                    ("GitHub/PIN", "1234"),
                    ("github 2", "other"),
                    ("Note", "text"),
                ]
            );
            let about = found[0].attributes.clone().expect("attributes");
            assert_eq!(about.description.as_deref(), Some("https://github.com, user ada"));
            assert_eq!(about.tags, ["work"]);
        }
    }

    #[test]
    fn a_damaged_archive_is_refused() {
        let archive = archive(true);
        for length in 0..archive.len() {
            assert!(read_1pux(&archive[..length]).is_err());
        }
        for at in 0..archive.len() {
            let mut changed = archive.clone();
            changed[at] ^= 0x81;
            // Some bytes say nothing that matters; none may make it panic or read other values.
            if let Ok(found) = read_1pux(&changed) {
                assert_eq!(found.len(), 6);
            }
        }
    }

    #[test]
    fn a_csv_file_by_its_column_names() {
        let found = read_csv(
            "Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes\n\
             GitHub,https://github.com,ada,\"hun,ter2\",otpauth://x,false,false,\"a;b\",\n\
             Old,,,x,,false,true,,\n",
        )
        .expect("an export");
        assert_eq!(pairs(&found), [("GitHub", "hun,ter2"), ("GitHub/totp", "otpauth://x")]);
        assert!(matches!(read_csv("a,b\n1,2\n"), Err(ImportError::Format { .. })));
    }
}
