//! The properties we read and write, and how each is spelled.

/// A property of XMP that holds one of our fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Property {
    /// `dc:subject`.
    Subject,
    /// `digiKam:TagsList`, paths with `/`.
    TagsList,
    /// `lr:hierarchicalSubject`, paths with `|`.
    HierarchicalSubject,
    /// `MicrosoftPhoto:LastKeywordXMP`, paths with `/`.
    LastKeywordXmp,
    /// `MicrosoftPhoto:LastKeywordIPTC`, paths with `/`.
    LastKeywordIptc,
    /// `mediapro:CatalogSets`, paths with `|`.
    CatalogSets,
    /// `acdsee:keywords`.
    AcdseeKeywords,
    /// `acdsee:categories`, an XML document as text.
    AcdseeCategories,
    /// `Iptc4xmpExt:PersonInImage`.
    PersonInImage,
    /// `dc:description`.
    Description,
    /// `tiff:ImageDescription`.
    TiffDescription,
    /// `Iptc4xmpCore:Location`.
    Location,
    /// `dc:title`.
    Title,
    /// `photoshop:Headline`.
    Headline,
    /// `dc:creator`.
    Creator,
    /// `tiff:Artist`.
    TiffArtist,
    /// `dc:rights`.
    Rights,
    /// `tiff:Copyright`.
    TiffCopyright,
    /// `photoshop:City`.
    City,
    /// `photoshop:State`.
    State,
    /// `photoshop:Country`.
    Country,
    /// `xmp:Rating`.
    Rating,
    /// `MicrosoftPhoto:Rating`, from 0 to 99.
    MicrosoftRating,
    /// `xmp:Label`.
    Label,
    /// `photoshop:DateCreated`.
    DateCreated,
    /// `exif:DateTimeOriginal`.
    ExifDate,
    /// `exif:GPSLatitude`.
    GpsLatitude,
    /// `exif:GPSLongitude`.
    GpsLongitude,
    /// `xmp:MetadataDate`.
    MetadataDate,
    /// `xmpNote:HasExtendedXMP`, the name of the packet that continues this one.
    HasExtendedXmp,
}

/// How the values of a property are arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// One text.
    Text,
    /// A list, named by its container element.
    List(&'static str),
    /// One text in several languages.
    Alternatives,
}

/// A name in XML: namespace, the prefix we write for it, local name.
pub(super) struct Name {
    pub(super) namespace: &'static str,
    pub(super) prefix: &'static str,
    pub(super) local: &'static str,
}

pub(super) const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

const ACDSEE: &str = "http://ns.acdsee.com/iptc/1.0/";
const DC: &str = "http://purl.org/dc/elements/1.1/";
const DIGIKAM: &str = "http://www.digikam.org/ns/1.0/";
const EXIF: &str = "http://ns.adobe.com/exif/1.0/";
const IPTC_CORE: &str = "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/";
const IPTC_EXTENSION: &str = "http://iptc.org/std/Iptc4xmpExt/2008-02-29/";
const LIGHTROOM: &str = "http://ns.adobe.com/lightroom/1.0/";
const MEDIAPRO: &str = "http://ns.iview-multimedia.com/mediapro/1.0/";
const MICROSOFT: &str = "http://ns.microsoft.com/photo/1.0/";
const PHOTOSHOP: &str = "http://ns.adobe.com/photoshop/1.0/";
const TIFF: &str = "http://ns.adobe.com/tiff/1.0/";
const NOTE: &str = "http://ns.adobe.com/xmp/note/";
const XMP: &str = "http://ns.adobe.com/xap/1.0/";

impl Property {
    /// All of them, in the order in which they are written.
    pub const ALL: [Self; 30] = [
        Self::HasExtendedXmp,
        Self::MetadataDate,
        Self::Subject,
        Self::TagsList,
        Self::HierarchicalSubject,
        Self::LastKeywordXmp,
        Self::LastKeywordIptc,
        Self::CatalogSets,
        Self::AcdseeKeywords,
        Self::AcdseeCategories,
        Self::PersonInImage,
        Self::Description,
        Self::TiffDescription,
        Self::Location,
        Self::Title,
        Self::Headline,
        Self::Creator,
        Self::TiffArtist,
        Self::Rights,
        Self::TiffCopyright,
        Self::City,
        Self::State,
        Self::Country,
        Self::Rating,
        Self::MicrosoftRating,
        Self::Label,
        Self::DateCreated,
        Self::ExifDate,
        Self::GpsLatitude,
        Self::GpsLongitude,
    ];

    pub(super) fn name(self) -> Name {
        let (namespace, prefix, local) = match self {
            Self::Subject => (DC, "dc", "subject"),
            Self::TagsList => (DIGIKAM, "digiKam", "TagsList"),
            Self::HierarchicalSubject => (LIGHTROOM, "lr", "hierarchicalSubject"),
            Self::LastKeywordXmp => (MICROSOFT, "MicrosoftPhoto", "LastKeywordXMP"),
            Self::LastKeywordIptc => (MICROSOFT, "MicrosoftPhoto", "LastKeywordIPTC"),
            Self::CatalogSets => (MEDIAPRO, "mediapro", "CatalogSets"),
            Self::AcdseeKeywords => (ACDSEE, "acdsee", "keywords"),
            Self::AcdseeCategories => (ACDSEE, "acdsee", "categories"),
            Self::PersonInImage => (IPTC_EXTENSION, "Iptc4xmpExt", "PersonInImage"),
            Self::Description => (DC, "dc", "description"),
            Self::TiffDescription => (TIFF, "tiff", "ImageDescription"),
            Self::Location => (IPTC_CORE, "Iptc4xmpCore", "Location"),
            Self::Title => (DC, "dc", "title"),
            Self::Headline => (PHOTOSHOP, "photoshop", "Headline"),
            Self::Creator => (DC, "dc", "creator"),
            Self::TiffArtist => (TIFF, "tiff", "Artist"),
            Self::Rights => (DC, "dc", "rights"),
            Self::TiffCopyright => (TIFF, "tiff", "Copyright"),
            Self::City => (PHOTOSHOP, "photoshop", "City"),
            Self::State => (PHOTOSHOP, "photoshop", "State"),
            Self::Country => (PHOTOSHOP, "photoshop", "Country"),
            Self::Rating => (XMP, "xmp", "Rating"),
            Self::MicrosoftRating => (MICROSOFT, "MicrosoftPhoto", "Rating"),
            Self::Label => (XMP, "xmp", "Label"),
            Self::DateCreated => (PHOTOSHOP, "photoshop", "DateCreated"),
            Self::ExifDate => (EXIF, "exif", "DateTimeOriginal"),
            Self::GpsLatitude => (EXIF, "exif", "GPSLatitude"),
            Self::GpsLongitude => (EXIF, "exif", "GPSLongitude"),
            Self::MetadataDate => (XMP, "xmp", "MetadataDate"),
            Self::HasExtendedXmp => (NOTE, "xmpNote", "HasExtendedXMP"),
        };
        Name { namespace, prefix, local }
    }

    pub(super) fn shape(self) -> Shape {
        match self {
            Self::TagsList | Self::Creator => Shape::List("Seq"),
            Self::Subject
            | Self::HierarchicalSubject
            | Self::LastKeywordXmp
            | Self::LastKeywordIptc
            | Self::CatalogSets
            | Self::AcdseeKeywords
            | Self::PersonInImage => Shape::List("Bag"),
            Self::Description | Self::TiffDescription | Self::Title | Self::Rights | Self::TiffCopyright => {
                Shape::Alternatives
            }
            Self::AcdseeCategories
            | Self::TiffArtist
            | Self::Location
            | Self::Headline
            | Self::City
            | Self::State
            | Self::Country
            | Self::Rating
            | Self::MicrosoftRating
            | Self::Label
            | Self::DateCreated
            | Self::ExifDate
            | Self::GpsLatitude
            | Self::GpsLongitude
            | Self::MetadataDate
            | Self::HasExtendedXmp => Shape::Text,
        }
    }

    /// What people call it, such as `dc:subject`.
    pub fn label(self) -> String {
        let Name { prefix, local, .. } = self.name();
        format!("{prefix}:{local}")
    }

    /// Whether it can have several values that are all true.
    pub(super) fn is_list(self) -> bool {
        matches!(self.shape(), Shape::List(_))
    }

    /// What separates the levels of a keyword, for properties that hold paths.
    pub fn separator(self) -> Option<char> {
        match self {
            Self::TagsList | Self::LastKeywordXmp | Self::LastKeywordIptc => Some('/'),
            Self::HierarchicalSubject | Self::CatalogSets => Some('|'),
            Self::Subject
            | Self::AcdseeKeywords
            | Self::AcdseeCategories
            | Self::PersonInImage
            | Self::Description
            | Self::TiffDescription
            | Self::Location
            | Self::Title
            | Self::Headline
            | Self::Creator
            | Self::TiffArtist
            | Self::Rights
            | Self::TiffCopyright
            | Self::City
            | Self::State
            | Self::Country
            | Self::Rating
            | Self::MicrosoftRating
            | Self::Label
            | Self::DateCreated
            | Self::ExifDate
            | Self::GpsLatitude
            | Self::GpsLongitude
            | Self::MetadataDate
            | Self::HasExtendedXmp => None,
        }
    }

    /// Whether it may stand in extended XMP: programs that sort by tags, people and descriptions may look for those in the
    /// main packet alone.
    pub(super) fn may_move(self) -> bool {
        match self {
            Self::Subject
            | Self::TagsList
            | Self::HierarchicalSubject
            | Self::LastKeywordXmp
            | Self::LastKeywordIptc
            | Self::CatalogSets
            | Self::AcdseeKeywords
            | Self::AcdseeCategories
            | Self::PersonInImage
            | Self::Description
            | Self::TiffDescription
            | Self::Location
            | Self::MetadataDate
            | Self::HasExtendedXmp => false,
            Self::Title
            | Self::Headline
            | Self::Creator
            | Self::TiffArtist
            | Self::Rights
            | Self::TiffCopyright
            | Self::City
            | Self::State
            | Self::Country
            | Self::Rating
            | Self::MicrosoftRating
            | Self::Label
            | Self::DateCreated
            | Self::ExifDate
            | Self::GpsLatitude
            | Self::GpsLongitude => true,
        }
    }

    /// The property with this name. Programs disagree about the slash at the end of a namespace.
    pub(super) fn find(namespace: &str, local: &str) -> Option<Self> {
        let bare = namespace.trim_end_matches('/');
        Self::ALL.into_iter().find(|property| {
            let name = property.name();
            name.local == local && name.namespace.trim_end_matches('/') == bare
        })
    }

    /// Whether any property is in this namespace.
    pub(super) fn is_namespace(namespace: &str) -> bool {
        let bare = namespace.trim_end_matches('/');
        Self::ALL.into_iter().any(|property| property.name().namespace.trim_end_matches('/') == bare)
    }
}
