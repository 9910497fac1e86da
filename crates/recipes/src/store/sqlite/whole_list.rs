//! The whole list. Rows are read in the order in which they lie in the file, and their objects sorted here: following an
//! index by title would look up each row at another place, and SQLite's sorting would copy them.

use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, params};

use crate::error::Error;

use super::list::entry;
use super::sight::Families;

/// The columns that [`entry`] reads.
const COLUMNS: &str = "SELECT id, title, title_key, description, prep_time_minutes, cook_time_minutes, servings, \
     difficulty, tags FROM recipes ";

/// Where an object is, and what it is sorted by.
struct Place {
    /// The first bytes of the key after those that all keys have in common; decides almost always.
    first: u64,
    key: (usize, usize),
    id: [u8; 16],
    object: (usize, usize),
}

/// Objects in the order of rows, and what they are sorted by.
#[derive(Default)]
struct Rows {
    objects: Vec<u8>,
    keys: Vec<u8>,
    places: Vec<Place>,
}

/// Memory of the list before; most lists are about as long as that. How much is kept is bounded.
static SPARE: Mutex<Rows> = Mutex::new(Rows { objects: Vec::new(), keys: Vec::new(), places: Vec::new() });
const MOST_SPARE: usize = 32 << 20;

impl Rows {
    fn take() -> Rows {
        std::mem::take(&mut *SPARE.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn give_back(mut self) {
        self.objects.clear();
        self.keys.clear();
        self.places.clear();
        if self.objects.capacity() <= MOST_SPARE {
            *SPARE.lock().unwrap_or_else(PoisonError::into_inner) = self;
        }
    }
}

/// Every recipe of these families as an array, written into `out`, which is empty.
pub(super) fn write(connection: &Connection, families: Families, mut out: Vec<u8>) -> Result<Vec<u8>, Error> {
    // Ids are made in the order of time, as rows are: both queries read the table from its beginning to its end.
    let condition = match families {
        Some(_) => "WHERE family_id = ?1 AND deleted_at IS NULL ORDER BY family_id, id",
        None => "WHERE ?1 IS NULL AND deleted_at IS NULL ORDER BY seq",
    };
    let mut statement = connection.prepare_cached(&format!("{COLUMNS}{condition}"))?;
    let mut rows = statement.query(params![families])?;
    let mut read = Rows::take();
    let Rows { objects, keys, places } = &mut read;
    while let Some(row) = rows.next()? {
        let entry = entry(row)?;
        let (key, object) = (keys.len(), objects.len());
        keys.extend_from_slice(row.get_ref(2)?.as_bytes().unwrap_or_default());
        entry.write(objects);
        places.push(Place {
            first: 0,
            key: (key, keys.len()),
            id: *entry.id.as_bytes(),
            object: (object, objects.len()),
        });
    }
    sort(places, keys);
    out.reserve_exact(objects.len() + places.len() + 2);
    out.push(b'[');
    for (number, place) in places.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        out.extend_from_slice(&objects[place.object.0..place.object.1]);
    }
    out.push(b']');
    read.give_back();
    Ok(out)
}

/// By key, then by id, as pages of the list are.
fn sort(places: &mut [Place], keys: &[u8]) {
    let common = common(places, keys);
    for place in places.iter_mut() {
        let (start, end) = place.key;
        let mut eight = [0; 8];
        for (to, from) in eight.iter_mut().zip(&keys[start + common..end]) {
            *to = *from;
        }
        place.first = u64::from_be_bytes(eight);
    }
    places.sort_unstable_by(|one, other| {
        let key = |place: &Place| &keys[place.key.0..place.key.1];
        one.first.cmp(&other.first).then_with(|| key(one).cmp(key(other))).then_with(|| one.id.cmp(&other.id))
    });
}

/// How many bytes all keys have in common.
fn common(places: &[Place], keys: &[u8]) -> usize {
    let Some((first, others)) = places.split_first() else { return 0 };
    let first = &keys[first.key.0..first.key.1];
    others.iter().fold(first.len(), |common, place| {
        let key = &keys[place.key.0..place.key.1];
        first[..common].iter().zip(key).take_while(|(one, other)| one == other).count()
    })
}

#[cfg(test)]
mod tests {
    use super::{Place, sort};

    fn sorted(list: &[&str]) -> Vec<String> {
        let mut keys = Vec::new();
        let mut places: Vec<Place> = (0_u8..)
            .zip(list)
            .map(|(number, text)| {
                let start = keys.len();
                keys.extend_from_slice(text.as_bytes());
                Place { first: 0, key: (start, keys.len()), id: [number; 16], object: (0, 0) }
            })
            .collect();
        sort(&mut places, &keys);
        let text = |place: &Place| {
            let key = &keys[place.key.0..place.key.1];
            format!("{}{}", String::from_utf8_lossy(key), place.id[0])
        };
        places.iter().map(text).collect()
    }

    #[test]
    fn keys_are_in_order_whatever_they_have_in_common() {
        assert_eq!(sorted(&["b", "a", "ab", "", "a"]), ["3", "a1", "a4", "ab2", "b0"]);
        assert_eq!(
            sorted(&["soup of the day 2", "soup of the day", "soup of the day 10"]),
            ["soup of the day1", "soup of the day 102", "soup of the day 20"]
        );
        assert_eq!(sorted(&["same", "same\n", "same"]), ["same0", "same2", "same\n1"]);
        assert!(sorted(&[]).is_empty());
    }
}
