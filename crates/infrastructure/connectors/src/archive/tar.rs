//! The tar format: headers and padding. A name of more than 100 bytes stands in a pax header before its entry.

use std::io::{self, Read, Write};

const BLOCK: usize = 512;
const NAME: usize = 100;
/// The largest size that fits into the octal digits of a header.
const MAX_OCTAL: u64 = (1 << 33) - 1;
/// A longer pax header is not one of ours.
const MAX_PAX: u64 = 8 << 10;

/// The name and the size of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TarEntry {
    pub(super) name: String,
    pub(super) bytes: u64,
}

pub(super) fn write_header(out: &mut impl Write, entry: &TarEntry) -> io::Result<()> {
    if entry.name.len() <= NAME {
        return out.write_all(&header(&entry.name, entry.bytes, b'0'));
    }
    let record = pax_record(&entry.name);
    out.write_all(&header("pax-header", record.len() as u64, b'x'))?;
    out.write_all(record.as_bytes())?;
    write_padding(out, record.len() as u64)?;
    out.write_all(&header(&entry.name[..entry.name.floor_char_boundary(NAME)], entry.bytes, b'0'))
}

/// Fills the last block of an entry of this size.
pub(super) fn write_padding(out: &mut impl Write, bytes: u64) -> io::Result<()> {
    out.write_all(&[0; BLOCK][..padding(bytes)])
}

/// Two empty blocks end an archive.
pub(super) fn write_end(out: &mut impl Write) -> io::Result<()> {
    out.write_all(&[0; 2 * BLOCK])
}

/// The next entry, or none at the end.
pub(super) fn read_header(input: &mut impl Read) -> io::Result<Option<TarEntry>> {
    let Some((entry, kind)) = read_block(input)? else { return Ok(None) };
    if kind != b'x' {
        return Ok(Some(entry));
    }
    if entry.bytes > MAX_PAX {
        return Err(invalid());
    }
    let mut record = String::new();
    input.take(entry.bytes).read_to_string(&mut record)?;
    skip_padding(input, entry.bytes)?;
    let name = record.split_once(" path=").map(|(_, name)| name.trim_end_matches('\n').to_owned());
    let (following, _) = read_block(input)?.ok_or_else(invalid)?;
    Ok(Some(TarEntry { name: name.ok_or_else(invalid)?, ..following }))
}

pub(super) fn skip_padding(input: &mut impl Read, bytes: u64) -> io::Result<()> {
    let mut rest = [0; BLOCK];
    input.read_exact(&mut rest[..padding(bytes)])
}

fn padding(bytes: u64) -> usize {
    let used = usize::try_from(bytes % BLOCK as u64).unwrap_or(0);
    if used == 0 { 0 } else { BLOCK - used }
}

fn header(name: &str, bytes: u64, kind: u8) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    block[..name.len()].copy_from_slice(name.as_bytes());
    block[100..108].copy_from_slice(b"0000600\0");
    block[108..116].copy_from_slice(b"0000000\0");
    block[116..124].copy_from_slice(b"0000000\0");
    if bytes <= MAX_OCTAL {
        block[124..136].copy_from_slice(format!("{bytes:011o}\0").as_bytes());
    } else {
        block[124] = 0x80;
        block[128..136].copy_from_slice(&bytes.to_be_bytes());
    }
    block[136..148].copy_from_slice(b"00000000000\0");
    block[148..156].fill(b' ');
    block[156] = kind;
    block[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

fn read_block(input: &mut impl Read) -> io::Result<Option<(TarEntry, u8)>> {
    let mut block = [0; BLOCK];
    input.read_exact(&mut block)?;
    if block.iter().all(|byte| *byte == 0) {
        return Ok(None);
    }
    let stored = octal(&block[148..156])?;
    let mut summed = block;
    summed[148..156].fill(b' ');
    if summed.iter().map(|byte| u64::from(*byte)).sum::<u64>() != stored || &block[257..262] != b"ustar" {
        return Err(invalid());
    }
    let name = block[..NAME].split(|byte| *byte == 0).next().unwrap_or_default();
    let name = std::str::from_utf8(name).map_err(|_| invalid())?.to_owned();
    let bytes = match block[124] {
        0x80 => block[128..136].iter().fold(0, |number, byte| number << 8 | u64::from(*byte)),
        _ => octal(&block[124..136])?,
    };
    Ok(Some((TarEntry { name, bytes }, block[156])))
}

fn octal(digits: &[u8]) -> io::Result<u64> {
    let digits = std::str::from_utf8(digits).map_err(|_| invalid())?;
    u64::from_str_radix(digits.trim_matches(['\0', ' ']), 8).map_err(|_| invalid())
}

/// A record says its own length, with the digits of that length.
fn pax_record(name: &str) -> String {
    let rest = format!(" path={name}\n");
    let mut length = rest.len();
    while format!("{length}{rest}").len() != length {
        length = format!("{length}{rest}").len();
    }
    format!("{length}{rest}")
}

pub(super) fn invalid() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "no tar archive")
}
