//! A model of a few hundred numbers for tests: the same files as a real one, with sizes that all differ.

use std::collections::{BTreeMap, HashMap};

use prost::Message;
use safetensors::{Dtype, tensor::TensorView};

use crate::tokenizer::file::{Kind, ModelFile, NormalizerSpec, Piece};

/// Numbers of a matrix, row by row, with its shape.
pub(crate) type Matrix = (Vec<usize>, Vec<f32>);

/// The pieces of the tokenizer that stand for text, and how likely they are. The first has token 3.
pub(crate) const PIECES: [(&str, f32); 9] = [
    ("\u{2581}", -2.0),
    ("a", -3.0),
    ("b", -3.5),
    ("c", -4.0),
    ("ab", -5.0),
    ("bc", -5.5),
    ("\u{2581}a", -3.2),
    ("\u{2581}ab", -6.0),
    ("é", -7.0),
];

pub(crate) const BLOCKS: usize = 3;
pub(crate) const ROWS: usize = 4;
/// The length of a token's vector.
pub(crate) const VECTOR: usize = 6;
/// The width of a branch.
pub(crate) const BRANCH: usize = 4;
pub(crate) const EPSILON: f64 = 1e-3;

/// Returns a tokenizer's file that also folds some characters.
pub(crate) fn tokenizer() -> ModelFile {
    let piece = |text: &str, score, kind: Kind| Piece {
        text: Some(text.to_owned()),
        score: Some(score),
        kind: Some(kind.into()),
    };
    let mut pieces = vec![
        piece("<unk>", 0.0, Kind::Unknown),
        piece("<s>", 0.0, Kind::Control),
        piece("</s>", 0.0, Kind::Control),
    ];
    pieces.extend(PIECES.map(|(text, score)| piece(text, score, Kind::Normal)));
    let folded = [
        ("\t", " "),
        ("\u{3000}", " "),
        ("A", "a"),
        ("e\u{301}", "é"),
        ("\u{200b}", ""),
        ("㍷", "b c"),
    ];
    ModelFile {
        pieces,
        trainer: None,
        normalizer: Some(NormalizerSpec {
            charsmap: Some(charsmap(&folded)),
            ..NormalizerSpec::default()
        }),
    }
}

/// Builds a table of characters: what is replaced, by what. Each node of the trie has 256 units of its own.
pub(crate) fn charsmap(table: &[(&str, &str)]) -> Vec<u8> {
    let mut children: Vec<BTreeMap<u8, usize>> = vec![BTreeMap::new()];
    let mut values: HashMap<usize, usize> = HashMap::new();
    let mut replacements = Vec::new();
    for (text, replacement) in table {
        let mut node = 0;
        for byte in text.bytes() {
            let next = children.len();
            node = *children[node].entry(byte).or_insert(next);
            if node == next {
                children.push(BTreeMap::new());
            }
        }
        values.insert(node, replacements.len());
        replacements.extend(replacement.bytes());
        replacements.push(0);
    }
    // The children of node `n` are from unit 256 (n + 1) on, and its value is the first of these.
    let mut units = vec![0_u32; 256 * (children.len() + 1)];
    let unit = |place: usize, node: usize, label: u8| {
        let offset = place ^ (256 * (node + 1));
        let flag = u32::from(values.contains_key(&node)) << 8;
        (u32::try_from(offset).unwrap() << 10) | flag | u32::from(label)
    };
    units[0] = unit(0, 0, 0);
    for (node, children) in children.iter().enumerate() {
        let block = 256 * (node + 1);
        for (label, child) in children {
            let place = block + usize::from(*label);
            units[place] = unit(place, *child, *label);
        }
        if let Some(value) = values.get(&node) {
            units[block] = (1 << 31) | u32::try_from(*value).unwrap();
        }
    }
    let trie: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let length = u32::try_from(trie.len()).unwrap().to_le_bytes();
    [&length[..], &trie, &replacements].concat()
}

/// All arrays of a network except its table of bytes, with numbers that look random and never change.
pub(crate) fn matrices() -> BTreeMap<String, Matrix> {
    let features = VECTOR + 3 * BRANCH;
    let (pooled, inner, third, output) = (5, 3, 8, 7);
    let mut shapes: Vec<(String, Vec<usize>)> = vec![
        ("scale".to_owned(), vec![BLOCKS]),
        ("lo".to_owned(), vec![BLOCKS]),
        ("ln_g".to_owned(), vec![features]),
        ("ln_b".to_owned(), vec![features]),
        ("cnn_W".to_owned(), vec![features, pooled]),
        ("cnn_b".to_owned(), vec![pooled]),
        ("d0".to_owned(), vec![pooled, inner]),
        ("d1".to_owned(), vec![inner, inner]),
        ("p1".to_owned(), vec![pooled, inner]),
        ("d2".to_owned(), vec![inner, third]),
        ("d3".to_owned(), vec![third, output]),
        ("p3".to_owned(), vec![inner, output]),
    ];
    for window in [2, 3, 5] {
        shapes.push((format!("proj{window}"), vec![VECTOR, BRANCH]));
        for vector in ["proj_b", "ln_g", "ln_b", "b1_", "b2_"] {
            shapes.push((format!("{vector}{window}"), vec![BRANCH]));
        }
        for matrix in ["w1_", "w2_"] {
            shapes.push((format!("{matrix}{window}"), vec![window * BRANCH, BRANCH]));
        }
    }
    let mut random = Random(7);
    let fill = |(name, shape): (String, Vec<usize>)| {
        let numbers = (0..shape.iter().product()).map(|_| random.next()).collect();
        (name, (shape, numbers))
    };
    shapes.into_iter().map(fill).collect()
}

/// The table of bytes: block after block.
pub(crate) fn blocks() -> Vec<Vec<u8>> {
    let mut random = Random(11);
    let mut block = || (0..ROWS * VECTOR).map(|_| random.byte()).collect();
    (0..BLOCKS).map(|_| block()).collect()
}

/// Returns the file of the network with these arrays.
pub(crate) fn weights(matrices: &BTreeMap<String, Matrix>) -> Vec<u8> {
    let mut arrays: BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)> = BTreeMap::new();
    for (name, (shape, numbers)) in matrices {
        let bytes = numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        arrays.insert(name.clone(), (Dtype::F32, shape.clone(), bytes));
    }
    for (number, bytes) in (1..).zip(blocks()) {
        arrays.insert(format!("q{number}"), (Dtype::U8, vec![ROWS, VECTOR], bytes));
    }
    arrays.insert(
        "eps".to_owned(),
        (Dtype::F64, vec![], EPSILON.to_le_bytes().to_vec()),
    );
    let views = arrays.iter().map(|(name, (kind, shape, bytes))| {
        (name, TensorView::new(*kind, shape.clone(), bytes).unwrap())
    });
    let about = ["name", "sha256"].map(|key| (key.to_owned(), format!("synthetic-{key}")));
    safetensors::serialize(views, Some(about.into())).unwrap()
}

/// Returns the bytes of both files: tokenizer and network.
pub(crate) fn files() -> (Vec<u8>, Vec<u8>) {
    (tokenizer().encode_to_vec(), weights(&matrices()))
}

/// A linear congruential generator.
struct Random(u32);

impl Random {
    fn byte(&mut self) -> u8 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0.to_le_bytes()[3]
    }

    /// Returns a number between -1 and 1.
    fn next(&mut self) -> f32 {
        f32::from(self.byte()) / 127.5 - 1.0
    }
}
