//! A tree of digests over the rows of the owner's state. A row is there if its leaf is in its bucket, and absent if not.
//!
//! 4,096 buckets, chosen by the first bits of a leaf's key, in 64 groups under one root. Nodes are blobs in the file, which
//! nobody believes before their digest was found in the node above.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use crate::error::Result;
use crate::keys::crypto::hash;
use crate::store::Store;

/// SHA-256.
pub(crate) type Digest = [u8; 32];

/// Leaves to be set or, with `None`, taken away.
pub(crate) type Changes = BTreeMap<Digest, Option<Digest>>;

const FANOUT: u16 = 64;
const DIGEST: usize = 32;
/// The digest of a node that is not there.
const NOTHING: Digest = [0; DIGEST];

/// The number of a node in the file.
const TOP: i64 = 0;
const FIRST_GROUP: i64 = 1;
const FIRST_BUCKET: i64 = 1000;

/// The nodes that were checked, for one root.
#[derive(Default)]
pub(crate) struct Tree {
    root: Digest,
    nodes: HashMap<i64, Vec<u8>>,
}

/// Where a leaf is.
#[derive(Clone, Copy)]
struct Place {
    group: u16,
    within: u16,
}

impl Place {
    fn of(key: &Digest) -> Place {
        let [first, second, ..] = *key;
        let bits = u16::from_be_bytes([first, second]) >> 4;
        Place { group: bits / FANOUT, within: bits % FANOUT }
    }

    fn bucket(self) -> i64 {
        FIRST_BUCKET + i64::from(self.group) * i64::from(FANOUT) + i64::from(self.within)
    }

    fn group(self) -> i64 {
        FIRST_GROUP + i64::from(self.group)
    }
}

impl Tree {
    /// The tree with this root, nothing of which was looked at yet.
    pub(crate) fn new(root: Digest) -> Tree {
        Tree { root, nodes: HashMap::new() }
    }

    /// The root of a tree without leaves.
    pub(crate) fn empty_root() -> Digest {
        digest(TOP, &[])
    }

    /// The digest of a row, or that there is no such row. A node that is not what the root says is an error.
    pub(crate) fn find(&mut self, store: &Store, key: &Digest) -> Result<Option<Digest>> {
        let bucket = self.bucket(store, Place::of(key))?;
        Ok(position(bucket, key).ok().and_then(|at| leaf(bucket, at)).map(|(_, digest)| digest))
    }

    /// Changes leaves. Everything the change builds on is checked first. Gives the new root.
    pub(crate) fn change(&mut self, store: &Store, changes: &Changes) -> Result<Digest> {
        let mut groups: BTreeMap<u16, Vec<u16>> = BTreeMap::new();
        let mut changes = changes.iter().peekable();
        while let Some((first, _)) = changes.peek() {
            let place = Place::of(first);
            let mut body = self.bucket(store, place)?.to_vec();
            while let Some((key, digest)) =
                changes.next_if(|(key, _)| Place::of(key).bucket() == place.bucket())
            {
                set_leaf(&mut body, key, digest.as_ref());
            }
            self.put(store, place.bucket(), body)?;
            groups.entry(place.group).or_default().push(place.within);
        }
        for (group, buckets) in groups {
            let mut body = full(self.group(store, Place { group, within: 0 })?);
            for within in buckets {
                let bucket = Place { group, within }.bucket();
                let digest = self.nodes.get(&bucket).map_or(NOTHING, |body| digest(bucket, body));
                set_child(&mut body, within, &digest);
            }
            let number = Place { group, within: 0 }.group();
            let of_group = digest(number, &body);
            self.put(store, number, body)?;
            let mut top = full(self.top(store)?);
            set_child(&mut top, group, &of_group);
            // The other groups are still to be found in it while this goes on.
            self.nodes.insert(TOP, top);
        }
        let top = self.top(store)?.to_vec();
        self.root = digest(TOP, &top);
        self.put(store, TOP, top)?;
        Ok(self.root)
    }

    fn top(&mut self, store: &Store) -> Result<&[u8]> {
        let root = self.root;
        self.node(store, TOP, &root)
    }

    fn group(&mut self, store: &Store, place: Place) -> Result<&[u8]> {
        let expected = child(self.top(store)?, place.group);
        self.node(store, place.group(), &expected)
    }

    fn bucket(&mut self, store: &Store, place: Place) -> Result<&[u8]> {
        let expected = child(self.group(store, place)?, place.within);
        self.node(store, place.bucket(), &expected)
    }

    /// A node, checked when it was first read.
    fn node(&mut self, store: &Store, number: i64, expected: &Digest) -> Result<&[u8]> {
        Ok(match self.nodes.entry(number) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let body = store.node(number)?.unwrap_or_default();
                if digest(number, &body) != *expected {
                    return Err(store.damaged("rows were changed, taken away or put back, or its tree was"));
                }
                place.insert(body)
            }
        })
    }

    fn put(&mut self, store: &Store, number: i64, body: Vec<u8>) -> Result<()> {
        store.set_node(number, &body)?;
        self.nodes.insert(number, body);
        Ok(())
    }
}

/// The digest of a node; of an empty one below the top, nothing.
fn digest(number: i64, body: &[u8]) -> Digest {
    if body.is_empty() && number != TOP {
        return NOTHING;
    }
    hash("authy node", &[&number.to_be_bytes(), body])
}

/// The body of a group or the top, with room for all children.
fn full(body: &[u8]) -> Vec<u8> {
    let mut body = body.to_vec();
    body.resize(usize::from(FANOUT) * DIGEST, 0);
    body
}

fn child(body: &[u8], at: u16) -> Digest {
    let start = usize::from(at) * DIGEST;
    body.get(start..start + DIGEST).and_then(|digest| digest.try_into().ok()).unwrap_or(NOTHING)
}

fn set_child(body: &mut [u8], at: u16, digest: &Digest) {
    let start = usize::from(at) * DIGEST;
    if let Some(place) = body.get_mut(start..start + DIGEST) {
        place.copy_from_slice(digest);
    }
}

fn leaf(bucket: &[u8], at: usize) -> Option<(Digest, Digest)> {
    let leaf = bucket.get(at * 2 * DIGEST..(at + 1) * 2 * DIGEST)?;
    let (key, digest) = leaf.split_first_chunk::<DIGEST>()?;
    Some((*key, digest.try_into().ok()?))
}

/// Where a leaf is in its bucket, or where it would be.
fn position(bucket: &[u8], key: &Digest) -> std::result::Result<usize, usize> {
    let count = bucket.len() / (2 * DIGEST);
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        match leaf(bucket, middle).map(|(found, _)| found.cmp(key)) {
            Some(std::cmp::Ordering::Less) => low = middle + 1,
            Some(std::cmp::Ordering::Equal) => return Ok(middle),
            Some(std::cmp::Ordering::Greater) | None => high = middle,
        }
    }
    Err(low)
}

fn set_leaf(bucket: &mut Vec<u8>, key: &Digest, digest: Option<&Digest>) {
    let width = 2 * DIGEST;
    let (at, end) = match position(bucket, key) {
        Ok(at) => (at * width, (at + 1) * width),
        Err(at) => (at * width, at * width),
    };
    match digest {
        Some(digest) => drop(bucket.splice(at..end, key.iter().chain(digest).copied())),
        None => drop(bucket.drain(at..end)),
    }
}

#[cfg(test)]
mod tests {
    use super::{leaf, position, set_leaf};

    #[test]
    fn leaves_are_kept_in_order_and_found_again() {
        let mut bucket = Vec::new();
        for key in [5, 1, 3, 9, 3] {
            set_leaf(&mut bucket, &[key; 32], Some(&[key + 100; 32]));
        }
        let keys: Vec<u8> = (0..4).filter_map(|at| leaf(&bucket, at)).map(|(key, _)| key[0]).collect();
        assert_eq!((keys, bucket.len()), (vec![1, 3, 5, 9], 4 * 64));
        assert_eq!((position(&bucket, &[3; 32]), position(&bucket, &[4; 32])), (Ok(1), Err(2)));
        set_leaf(&mut bucket, &[3; 32], None);
        set_leaf(&mut bucket, &[4; 32], None);
        assert_eq!((position(&bucket, &[3; 32]), bucket.len()), (Err(1), 3 * 64));
    }
}
