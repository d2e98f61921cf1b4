//! Tables of numbers in a `safetensors` file: a header of JSON, then the numbers of all tables.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

/// The tables of a file.
pub(super) struct Tensors {
    bytes: Arc<Vec<u8>>,
    /// Where the numbers begin.
    begin: usize,
    entries: BTreeMap<String, TensorEntry>,
}

#[derive(Clone, Deserialize)]
struct TensorEntry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

/// A table or a list of numbers. They stay as they are stored until they are needed.
pub(super) struct Tensor {
    bytes: Arc<Vec<u8>>,
    begin: usize,
    kind: NumberKind,
    height: usize,
    width: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NumberKind {
    F16,
    Bf16,
    F32,
    F64,
    I32,
    I64,
}

impl NumberKind {
    fn parse(name: &str) -> Option<Self> {
        match name {
            "F16" => Some(Self::F16),
            "BF16" => Some(Self::Bf16),
            "F32" => Some(Self::F32),
            "F64" => Some(Self::F64),
            "I32" => Some(Self::I32),
            "I64" => Some(Self::I64),
            _ => None,
        }
    }

    fn size(self) -> usize {
        match self {
            Self::F16 | Self::Bf16 => 2,
            Self::F32 | Self::I32 => 4,
            Self::F64 | Self::I64 => 8,
        }
    }
}

impl Tensors {
    /// Reads the header. Every table must lie within the file.
    pub(super) fn parse(bytes: Vec<u8>) -> Result<Self, String> {
        let broken = || "is no safetensors file".to_owned();
        let length: [u8; 8] = bytes.get(..8).and_then(|length| length.try_into().ok()).ok_or_else(broken)?;
        let length = usize::try_from(u64::from_le_bytes(length)).map_err(|_| broken())?;
        let begin = length.checked_add(8).ok_or_else(broken)?;
        let header = bytes.get(8..begin).ok_or_else(broken)?;
        let header: BTreeMap<String, serde_json::Value> =
            serde_json::from_slice(header).map_err(|_| broken())?;
        let mut entries = BTreeMap::new();
        for (name, entry) in header.into_iter().filter(|(name, _)| name != "__metadata__") {
            let entry: TensorEntry = serde_json::from_value(entry).map_err(|_| broken())?;
            let end = begin.checked_add(entry.data_offsets.1).ok_or_else(broken)?;
            if entry.data_offsets.0 > entry.data_offsets.1 || end > bytes.len() {
                return Err("is cut short".to_owned());
            }
            entries.insert(name, entry);
        }
        Ok(Self { bytes: Arc::new(bytes), begin, entries })
    }

    /// The table of a name. None if there is none, or if its numbers cannot be read.
    pub(super) fn get(&self, name: &str) -> Option<Tensor> {
        let TensorEntry { dtype, shape, data_offsets } = self.entries.get(name)?;
        let (kind, height) = (NumberKind::parse(dtype)?, *shape.first()?);
        let width = shape.get(1).copied().unwrap_or(1);
        let size = height.checked_mul(width)?.checked_mul(kind.size())?;
        (shape.len() <= 2 && size == data_offsets.1 - data_offsets.0).then(|| Tensor {
            bytes: self.bytes.clone(),
            begin: self.begin + data_offsets.0,
            kind,
            height,
            width,
        })
    }
}

impl Tensor {
    pub(super) fn height(&self) -> usize {
        self.height
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Adds a row, which must exist, to a sum.
    pub(super) fn add_row(&self, row: usize, weight: f32, sum: &mut [f32]) {
        self.add_from(row * self.width, weight, &mut sum[..self.width]);
    }

    /// A number of a list.
    pub(super) fn number(&self, place: usize) -> Option<f32> {
        let mut number = [0.0];
        (place < self.height * self.width).then(|| self.add_from(place, 1.0, &mut number))?;
        Some(number[0])
    }

    /// Adds the numbers from this place on, which must exist, to a sum.
    #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)] // A vector needs no more than this.
    fn add_from(&self, place: usize, weight: f32, sum: &mut [f32]) {
        let size = self.kind.size();
        let begin = self.begin + place * size;
        let numbers = &self.bytes[begin..begin + sum.len() * size];
        match self.kind {
            NumberKind::F16 => add(numbers, weight, sum, |bytes| f16(u16::from_le_bytes(bytes))),
            NumberKind::Bf16 => {
                add(numbers, weight, sum, |bytes| f32::from_bits(u32::from(u16::from_le_bytes(bytes)) << 16));
            }
            NumberKind::F32 => add(numbers, weight, sum, f32::from_le_bytes),
            NumberKind::F64 => add(numbers, weight, sum, |bytes| f64::from_le_bytes(bytes) as f32),
            NumberKind::I32 => add(numbers, weight, sum, |bytes| i32::from_le_bytes(bytes) as f32),
            NumberKind::I64 => add(numbers, weight, sum, |bytes| i64::from_le_bytes(bytes) as f32),
        }
    }

    /// A number of a list that counts from 0.
    pub(super) fn index(&self, place: usize) -> Option<usize> {
        let bytes = self.at(place)?;
        match self.kind {
            NumberKind::I32 => usize::try_from(i32::from_le_bytes(bytes.try_into().ok()?)).ok(),
            NumberKind::I64 => usize::try_from(i64::from_le_bytes(bytes.try_into().ok()?)).ok(),
            _ => None,
        }
    }

    fn at(&self, place: usize) -> Option<&[u8]> {
        let size = self.kind.size();
        let begin = self.begin + place * size;
        (place < self.height * self.width).then(|| &self.bytes[begin..begin + size])
    }
}

/// Adds numbers to a sum. One loop for each kind of number, which the compiler can make of wide instructions.
fn add<const N: usize>(numbers: &[u8], weight: f32, sum: &mut [f32], decode: impl Fn([u8; N]) -> f32) {
    for (sum, bytes) in sum.iter_mut().zip(numbers.as_chunks().0) {
        *sum += weight * decode(*bytes);
    }
}

/// A number in half precision.
fn f16(bits: u16) -> f32 {
    let (exponent, fraction) = (u32::from(bits >> 10) & 31, u32::from(bits) & 1023);
    let sign = u32::from(bits >> 15) << 31;
    match exponent {
        // Zero and the smallest numbers: a multiple of 2^-24.
        0 => f32::from_bits(sign | 0x3380_0000) * f32::from(bits & 1023),
        31 => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

#[cfg(test)]
mod tests {
    use super::f16;

    #[test]
    fn half_precision_is_read_exactly() {
        for (bits, number) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x0001, 5.960_464_5e-8),
            (0x7bff, 65_504.0),
            (0, 0.0),
        ] {
            assert!((f16(bits) - number).abs() <= number.abs() * 1e-6, "{bits:04x}: {}", f16(bits));
        }
        assert!(f16(0x7c00).is_infinite() && f16(0x7e00).is_nan());
    }
}
