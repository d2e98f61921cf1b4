//! Reads a backup, and checks everything before it says that it is one.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};

use quire_domain::hex;
use sha2::{Digest as _, Sha256};

use super::cipher::{BackupKey, DecryptingReader, MAGIC};
use super::tar::{self, TarEntry};
use super::{ArchiveError, BackupSummary, DATABASE, DOCUMENTS, FORMAT, MANIFEST, ManifestEntry};
use crate::blob::BlobName;

/// Unpacks a backup into a folder, as a database file and a folder `documents`. Fails unless every entry has the size and the hash
/// of the manifest and none is missing.
pub fn extract(path: &Path, key: Option<&BackupKey>, folder: &Path) -> Result<BackupSummary, ArchiveError> {
    let mut file = BufReader::with_capacity(1 << 20, File::open(path)?);
    let is_encrypted = file.fill_buf()?.starts_with(MAGIC);
    let unpacked = match (is_encrypted, key) {
        (true, None) => return Err(ArchiveError::KeyMissing),
        (false, Some(_)) => return Err(ArchiveError::KeyUnneeded),
        (false, None) => unpack(&mut file, folder),
        (true, Some(key)) => {
            file.consume(MAGIC.len());
            DecryptingReader::new(file, key)
                .map_err(ArchiveError::from)
                .and_then(|mut file| unpack(&mut file, folder))
        }
    };
    unpacked.map_err(|error| match error {
        ArchiveError::Io(error) => match error.kind() {
            io::ErrorKind::InvalidData if is_encrypted => ArchiveError::NotAuthentic,
            io::ErrorKind::InvalidData => ArchiveError::NoBackup,
            io::ErrorKind::UnexpectedEof => ArchiveError::Damaged("it was cut off".to_owned()),
            _ => ArchiveError::Io(error),
        },
        error => error,
    })
}

fn unpack(input: &mut impl Read, folder: &Path) -> Result<BackupSummary, ArchiveError> {
    std::fs::create_dir_all(folder.join(DOCUMENTS))?;
    let found_path = folder.join("found.jsonl");
    let mut found = io::BufWriter::new(File::create(&found_path)?);
    let (mut entries, mut total) = (0, 0);
    loop {
        let entry =
            tar::read_header(input)?.ok_or_else(|| ArchiveError::Damaged("it has no manifest".to_owned()))?;
        if entry.name == MANIFEST {
            found.into_inner().map_err(io::IntoInnerError::into_error)?;
            let found = BufReader::new(File::open(&found_path)?);
            let summary = compare(BufReader::new(input.by_ref().take(entry.bytes)), found)?;
            std::fs::remove_file(&found_path)?;
            // An encrypted stream is whole only if its end is authentic.
            io::copy(input, &mut io::sink())?;
            if (summary.entries, summary.bytes) != (entries, total) {
                return Err(ArchiveError::Damaged("entries are missing".to_owned()));
            }
            return Ok(summary);
        }
        let line = unpack_entry(input, &entry, &place(&entry.name, folder)?)?;
        let line = serde_json::to_string(&line).map_err(io::Error::other)?;
        writeln!(found, "{line}")?;
        entries += 1;
        total += entry.bytes;
    }
}

/// The file for an entry. A name that leads out of the folder is refused.
fn place(name: &str, folder: &Path) -> Result<PathBuf, ArchiveError> {
    let is_file = name.strip_prefix(DOCUMENTS).is_some_and(|name| BlobName::parse(name).is_ok());
    if name != DATABASE && !is_file {
        return Err(ArchiveError::NoBackup);
    }
    Ok(folder.join(name))
}

fn unpack_entry(input: &mut impl Read, entry: &TarEntry, path: &Path) -> Result<ManifestEntry, ArchiveError> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let mut file = File::create(path)?;
    let mut hash = Sha256::new();
    let mut left = entry.bytes;
    let mut piece = vec![0; usize::try_from(left.min(1 << 20)).unwrap_or(1 << 20)];
    while left > 0 {
        let length = usize::try_from(left.min(1 << 20)).unwrap_or(1 << 20);
        input.read_exact(&mut piece[..length])?;
        hash.update(&piece[..length]);
        file.write_all(&piece[..length])?;
        left -= length as u64;
    }
    tar::skip_padding(input, entry.bytes)?;
    Ok(ManifestEntry { name: entry.name.clone(), bytes: entry.bytes, sha256: hex(&hash.finalize()) })
}

/// Compares the manifest with what was found, line by line.
fn compare(manifest: impl io::BufRead, found: impl io::BufRead) -> Result<BackupSummary, ArchiveError> {
    let mut found = found.lines();
    let mut summary = None;
    for line in manifest.lines() {
        let line = line?;
        if let Ok(last) = serde_json::from_str::<BackupSummary>(&line) {
            summary = Some(last);
            continue;
        }
        let expected: ManifestEntry =
            serde_json::from_str(&line).map_err(|_| ArchiveError::Damaged("its manifest".to_owned()))?;
        match found.next().transpose()?.and_then(|line| serde_json::from_str::<ManifestEntry>(&line).ok()) {
            Some(found) if found == expected => {}
            _ => return Err(ArchiveError::Damaged(expected.name)),
        }
    }
    let summary = summary.ok_or_else(|| ArchiveError::Damaged("its manifest".to_owned()))?;
    match summary.format {
        FORMAT => Ok(summary),
        other => Err(ArchiveError::NewerFormat(other)),
    }
}
