//! The vectors of all tokens, one byte for each number: four times smaller than what is computed with.

use crate::{
    ModelError,
    weights::{Bytes, Weights},
};

/// Looks up the vector of a token.
pub(crate) struct Table {
    /// Token `t` is row `t / n` of block `t % n`, with n blocks.
    blocks: Vec<Block>,
    rows: usize,
    width: usize,
}

struct Block {
    bytes: Box<[u8]>,
    scale: f32,
    lowest: f32,
}

impl Table {
    pub(crate) fn read(weights: &Weights<'_>) -> Result<Self, ModelError> {
        let mut blocks: Vec<Bytes<'_>> = Vec::new();
        while let Some(block) = weights.bytes(&format!("q{}", blocks.len() + 1))? {
            blocks.push(block);
        }
        let size = |block: &Bytes<'_>| (block.rows, block.columns);
        let (rows, width) = blocks.first().map_or((0, 0), size);
        if rows == 0 || width == 0 {
            return Err(weights.broken("the table of tokens, `q1` and so on, is empty"));
        }
        if blocks.iter().any(|block| size(block) != (rows, width)) {
            return Err(
                weights.broken("the blocks `q1` and so on of the table of tokens differ in size")
            );
        }
        let scales = weights.vector("scale", blocks.len())?;
        let lowest = weights.vector("lo", blocks.len())?;
        let blocks = blocks.into_iter().zip(scales).zip(lowest);
        let blocks = blocks.map(|((block, scale), lowest)| Block {
            bytes: block.bytes.into(),
            scale,
            lowest,
        });
        Ok(Self {
            blocks: blocks.collect(),
            rows,
            width,
        })
    }

    /// Returns how many tokens have a vector.
    pub(crate) fn tokens(&self) -> usize {
        self.blocks.len() * self.rows
    }

    /// Returns how many numbers a vector has.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Writes the vector of a token, which must be less than [`tokens`](Self::tokens).
    pub(crate) fn write(&self, token: usize, into: &mut [f32]) {
        let block = &self.blocks[token % self.blocks.len()];
        let start = token / self.blocks.len() * self.width;
        let bytes = &block.bytes[start..start + self.width];
        for (number, byte) in into.iter_mut().zip(bytes) {
            *number = f32::from(*byte) * block.scale + block.lowest;
        }
    }
}
