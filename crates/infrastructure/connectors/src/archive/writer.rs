//! Writes a backup in a folder of its own. It gets its name when it is complete.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek as _, Write};
use std::path::{Path, PathBuf};

use quire_domain::hex;
use sha2::{Digest as _, Sha256};

use super::cipher::{BackupKey, EncryptingWriter};
use super::tar::{self, TarEntry};
use super::{ArchiveError, BackupSummary, FORMAT, MANIFEST, ManifestEntry};

/// Where the archive goes.
enum Output {
    Plain(BufWriter<File>),
    Encrypted(Box<EncryptingWriter<BufWriter<File>>>),
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(out) => out.write(bytes),
            Self::Encrypted(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A backup that is being written.
pub struct ArchiveWriter {
    out: Output,
    path: PathBuf,
    /// The name until the backup is complete.
    partial: PathBuf,
    manifest: File,
    entry: Option<(TarEntry, u64, Sha256)>,
    entries: u64,
    bytes: u64,
}

impl ArchiveWriter {
    /// Begins a backup, which will be the file `path`. Until it is complete it is in `folder`, which must be on the same disk.
    /// Without a key it is not encrypted.
    pub fn create(path: &Path, folder: &Path, key: Option<&BackupKey>) -> Result<Self, ArchiveError> {
        let partial = folder.join("archive.tar");
        let file = BufWriter::with_capacity(1 << 20, File::create(&partial)?);
        let out = match key {
            None => Output::Plain(file),
            Some(key) => Output::Encrypted(Box::new(EncryptingWriter::new(file, key)?)),
        };
        let manifest = folder.join(MANIFEST);
        let manifest = File::options().read(true).write(true).create(true).truncate(true).open(&manifest)?;
        Ok(Self { out, path: path.to_owned(), partial, manifest, entry: None, entries: 0, bytes: 0 })
    }

    /// Begins an entry of this size.
    pub fn begin(&mut self, name: &str, bytes: u64) -> Result<(), ArchiveError> {
        let entry = TarEntry { name: name.to_owned(), bytes };
        tar::write_header(&mut self.out, &entry)?;
        self.entry = Some((entry, 0, Sha256::new()));
        Ok(())
    }

    /// Writes the next piece of the entry.
    pub fn write(&mut self, piece: &[u8]) -> Result<(), ArchiveError> {
        if let Some((_, written, hash)) = &mut self.entry {
            *written += piece.len() as u64;
            hash.update(piece);
        }
        Ok(self.out.write_all(piece)?)
    }

    /// Ends the entry and returns its SHA-256. Fails if it did not have its size.
    pub fn end(&mut self) -> Result<[u8; 32], ArchiveError> {
        let (entry, written, hash) =
            self.entry.take().ok_or_else(|| io::Error::other("no entry was begun"))?;
        if written != entry.bytes {
            return Err(ArchiveError::Damaged(format!("{} changed its size while it was read", entry.name)));
        }
        tar::write_padding(&mut self.out, entry.bytes)?;
        self.entries += 1;
        self.bytes += entry.bytes;
        let hash: [u8; 32] = hash.finalize().into();
        let line = ManifestEntry { name: entry.name, bytes: entry.bytes, sha256: hex(&hash) };
        let line = serde_json::to_string(&line).map_err(io::Error::other)?;
        writeln!(self.manifest, "{line}")?;
        Ok(hash)
    }

    /// Adds a file of this machine.
    pub fn add_file(&mut self, name: &str, path: &Path) -> Result<(), ArchiveError> {
        let mut file = File::open(path)?;
        self.begin(name, file.metadata()?.len())?;
        let mut piece = vec![0; 1 << 20];
        loop {
            match file.read(&mut piece)? {
                0 => return self.end().map(drop),
                count => self.write(&piece[..count])?,
            }
        }
    }

    /// Writes the manifest, makes the backup durable and gives it its name.
    pub fn finish(
        mut self,
        program: &str,
        created_at: String,
        installation_id: String,
    ) -> Result<BackupSummary, ArchiveError> {
        let summary = BackupSummary {
            format: FORMAT,
            program: program.to_owned(),
            created_at,
            installation_id,
            entries: self.entries,
            bytes: self.bytes,
        };
        let line = serde_json::to_string(&summary).map_err(io::Error::other)?;
        writeln!(self.manifest, "{line}")?;
        let bytes = self.manifest.stream_position()?;
        self.manifest.rewind()?;
        tar::write_header(&mut self.out, &TarEntry { name: MANIFEST.to_owned(), bytes })?;
        io::copy(&mut self.manifest, &mut self.out)?;
        tar::write_padding(&mut self.out, bytes)?;
        tar::write_end(&mut self.out)?;
        let out = match self.out {
            Output::Plain(out) => out,
            Output::Encrypted(out) => out.finish()?,
        };
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        name_new(&self.partial, &self.path)?;
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
        Ok(summary)
    }
}

/// Gives a file a name that no other file has.
fn name_new(partial: &Path, path: &Path) -> io::Result<()> {
    match std::fs::hard_link(partial, path) {
        Ok(()) => std::fs::remove_file(partial),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // Some file systems have no links.
        Err(_) => std::fs::rename(partial, path),
    }
}
