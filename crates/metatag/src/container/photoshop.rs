//! Photoshop image resources: the list of small blocks one of which is IPTC.

use super::bytes::{u16_be, u32_be};

/// The IPTC-IIM records.
const IIM: u16 = 0x0404;
/// Their MD5 digest.
const DIGEST: u16 = 0x0425;

/// What a resource begins with; the last four are of programs other than Photoshop.
const SIGNATURES: [&[u8; 4]; 5] = [b"8BIM", b"PHUT", b"AgHg", b"DCSR", b"MeSa"];

/// The resources of a picture, in order.
#[derive(Debug)]
pub(crate) struct Resources<'a> {
    list: Vec<Resource<'a>>,
    /// What follows the last one that could be read.
    rest: &'a [u8],
}

#[derive(Debug, Clone, Copy)]
struct Resource<'a> {
    id: u16,
    is_adobe: bool,
    /// All of it, with its padding.
    raw: &'a [u8],
    data: &'a [u8],
}

impl<'a> Resources<'a> {
    pub(crate) fn parse(bytes: &'a [u8]) -> Resources<'a> {
        let mut list = Vec::new();
        let mut rest = bytes;
        while let Some((resource, after)) = Resource::parse(rest) {
            list.push(resource);
            rest = after;
        }
        Resources { list, rest }
    }

    /// Whether everything could be read; padding at the end does not count.
    pub(crate) fn is_whole(&self) -> bool {
        self.rest.iter().all(|byte| *byte == 0)
    }

    /// The IPTC-IIM records. Some writers add a second block instead of changing the first; together they are what the
    /// picture says.
    pub(crate) fn iim(&self) -> Option<Vec<u8>> {
        let blocks: Vec<&[u8]> = self.with(IIM).map(|resource| resource.data).collect();
        (!blocks.is_empty()).then(|| blocks.concat())
    }

    pub(crate) fn digest(&self) -> Option<[u8; 16]> {
        self.with(DIGEST).next().and_then(|resource| resource.data.try_into().ok())
    }

    fn with(&self, id: u16) -> impl Iterator<Item = &Resource<'a>> {
        self.list.iter().filter(move |resource| resource.is(id))
    }

    /// Everything that is not IPTC or its digest.
    pub(crate) fn foreign(&self) -> Vec<&'a [u8]> {
        let foreign = self.list.iter().filter(|resource| !resource.is(IIM) && !resource.is(DIGEST));
        foreign.map(|resource| resource.raw).chain([self.rest]).filter(|raw| !raw.is_empty()).collect()
    }

    /// The resources with other IPTC, each by itself.
    pub(crate) fn with_iim(&self, iim: Option<&[u8]>, digest: Option<[u8; 16]>) -> Vec<Vec<u8>> {
        let mut iim = iim.map(|data| resource(IIM, data));
        let mut digest = digest.map(|data| resource(DIGEST, &data));
        let mut all = Vec::new();
        for old in &self.list {
            if old.is(IIM) {
                all.extend(iim.take());
            } else if old.is(DIGEST) {
                all.extend(digest.take());
            } else {
                all.push(old.raw.to_vec());
            }
        }
        all.extend(iim);
        all.extend(digest);
        if !self.rest.is_empty() {
            all.push(self.rest.to_vec());
        }
        all
    }
}

impl<'a> Resource<'a> {
    fn parse(bytes: &'a [u8]) -> Option<(Resource<'a>, &'a [u8])> {
        let signature = bytes.first_chunk::<4>()?;
        if !SIGNATURES.contains(&signature) {
            return None;
        }
        let id = u16_be(bytes, 4)?;
        let name = usize::from(*bytes.get(6)?);
        // The length of the name and the name are padded together.
        let size_at = 6 + (1 + name).next_multiple_of(2);
        let size = usize::try_from(u32_be(bytes, size_at)?).ok()?;
        let start = size_at + 4;
        let end = start.checked_add(size)?;
        let data = bytes.get(start..end)?;
        // The padding of the last one is sometimes missing.
        let after = end.checked_next_multiple_of(2)?.min(bytes.len());
        let (raw, rest) = bytes.split_at(after);
        Some((Resource { id, is_adobe: signature == b"8BIM", raw, data }, rest))
    }

    fn is(&self, id: u16) -> bool {
        self.is_adobe && self.id == id
    }
}

fn resource(id: u16, data: &[u8]) -> Vec<u8> {
    let mut raw = Vec::with_capacity(data.len() + 13);
    raw.extend_from_slice(b"8BIM");
    raw.extend_from_slice(&id.to_be_bytes());
    raw.extend_from_slice(&[0, 0]);
    raw.extend_from_slice(&u32::try_from(data.len()).unwrap_or(u32::MAX).to_be_bytes());
    raw.extend_from_slice(data);
    if data.len() % 2 == 1 {
        raw.push(0);
    }
    raw
}

#[cfg(test)]
mod tests {
    use super::{DIGEST, IIM, Resources, resource};

    #[test]
    fn iptc_is_replaced_in_its_place_and_the_rest_stays() {
        let odd = b"8BIM\x04\x1e\x03abc\0\0\0\x01x\0".as_slice();
        let other = b"MeSa\x04\x04\0\0\0\0\0\x02yy".as_slice();
        let digest = [7; 16];
        let old = [odd, &resource(IIM, b"old"), other, &resource(DIGEST, &[1; 16])].concat();
        let resources = Resources::parse(&old);
        assert!(resources.is_whole());
        assert_eq!((resources.iim(), resources.digest()), (Some(b"old".to_vec()), Some([1; 16])));
        assert_eq!(resources.foreign(), [odd, other]);
        let new = resources.with_iim(Some(b"newer"), Some(digest)).concat();
        let expected = [odd, &resource(IIM, b"newer"), other, &resource(DIGEST, &digest)].concat();
        assert_eq!(new, expected);
        assert_eq!(resources.with_iim(None, None).concat(), [odd, other].concat());
    }

    #[test]
    fn what_cannot_be_read_is_kept_at_the_end() {
        let old = [&resource(IIM, b"ab")[..], b"8BIM\x04\x05\0\0\xff\xff\xff\xff"].concat();
        let resources = Resources::parse(&old);
        assert!(!resources.is_whole());
        assert_eq!(resources.with_iim(Some(b"ab"), None).concat(), old);
    }

    #[test]
    fn two_blocks_become_one() {
        let old = [resource(IIM, b"ab"), resource(IIM, b"cd")].concat();
        let resources = Resources::parse(&old);
        assert_eq!(resources.iim(), Some(b"abcd".to_vec()));
        assert_eq!(resources.with_iim(Some(b"x"), None).concat(), resource(IIM, b"x"));
    }
}
