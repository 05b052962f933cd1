//! The parts of a SentencePiece model file that matter here. Numbers of fields are those of its published schema.

use prost::Message;

/// The whole file.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ModelFile {
    /// All pieces; the place of a piece is its token.
    #[prost(message, repeated, tag = "1")]
    pub(crate) pieces: Vec<Piece>,
    #[prost(message, optional, tag = "2")]
    pub(crate) trainer: Option<TrainerSpec>,
    #[prost(message, optional, tag = "3")]
    pub(crate) normalizer: Option<NormalizerSpec>,
}

/// A word or a part of one.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Piece {
    #[prost(string, optional, tag = "1")]
    pub(crate) text: Option<String>,
    /// The logarithm of how likely the piece is.
    #[prost(float, optional, tag = "2")]
    pub(crate) score: Option<f32>,
    #[prost(enumeration = "Kind", optional, tag = "3", default = "Normal")]
    pub(crate) kind: Option<i32>,
}

/// What a piece is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, prost::Enumeration)]
#[repr(i32)]
pub(crate) enum Kind {
    /// Text.
    Normal = 1,
    /// Stands for text that no piece covers.
    Unknown = 2,
    /// Marks the start or the end of a text, which no text can contain.
    Control = 3,
    /// A symbol reserved at training.
    UserDefined = 4,
    /// Never used.
    Unused = 5,
    /// A single byte of text that no piece covers.
    Byte = 6,
}

/// How the pieces were found.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(crate) struct TrainerSpec {
    /// 1 is "unigram".
    #[prost(int32, optional, tag = "3", default = "1")]
    pub(crate) model_type: Option<i32>,
    #[prost(bool, optional, tag = "24", default = "false")]
    pub(crate) treat_whitespace_as_suffix: Option<bool>,
    #[prost(bool, optional, tag = "35", default = "false")]
    pub(crate) byte_fallback: Option<bool>,
}

/// How text is written before it is cut.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct NormalizerSpec {
    #[prost(bytes = "vec", optional, tag = "2")]
    pub(crate) charsmap: Option<Vec<u8>>,
    #[prost(bool, optional, tag = "3", default = "true")]
    pub(crate) add_dummy_prefix: Option<bool>,
    #[prost(bool, optional, tag = "4", default = "true")]
    pub(crate) remove_extra_whitespaces: Option<bool>,
    #[prost(bool, optional, tag = "5", default = "true")]
    pub(crate) escape_whitespaces: Option<bool>,
}
