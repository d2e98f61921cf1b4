//! Encrypts a stream with ChaCha20-Poly1305, in chunks.
//!
//! The stream begins with [`MAGIC`] and a random salt of 32 bytes. The key of the stream is HKDF-SHA256 of the backup's key
//! with that salt. Each chunk has 64 KiB of the content, fewer only in the last one, and a tag of 16 bytes. Its nonce is its
//! number, as 11 bytes, and a byte that is 1 for the last chunk. So a chunk can be neither changed, moved nor left out, and
//! a stream cannot be cut off. (This is the construction STREAM, as the program `age` uses it.)

use std::io::{self, Read, Write};

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, Salt};
use ring::rand::{SecureRandom as _, SystemRandom};

/// The first bytes of an encrypted backup.
pub(super) const MAGIC: &[u8] = b"quire-backup-1\n";
const SALT: usize = 32;
const CHUNK: usize = 64 << 10;
const TAG: usize = 16;

/// The key of backups: 32 random bytes.
pub struct BackupKey([u8; 32]);

/// A key that is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a backup key is 64 hexadecimal digits, such as the output of `openssl rand -hex 32`")]
pub struct InvalidKey;

impl BackupKey {
    /// The key of these 64 hexadecimal digits.
    pub fn parse(text: &str) -> Result<Self, InvalidKey> {
        let text = text.trim().as_bytes();
        let mut key = [0; 32];
        if text.len() != 64 {
            return Err(InvalidKey);
        }
        for (byte, digits) in key.iter_mut().zip(text.chunks_exact(2)) {
            let digits = std::str::from_utf8(digits).map_err(|_| InvalidKey)?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| InvalidKey)?;
        }
        Ok(Self(key))
    }

    fn of_stream(&self, salt: &[u8]) -> io::Result<LessSafeKey> {
        let prk = Salt::new(HKDF_SHA256, salt).extract(&self.0);
        let key = prk.expand(&[MAGIC], &CHACHA20_POLY1305).map_err(|_| failed())?;
        Ok(LessSafeKey::new(UnboundKey::from(key)))
    }
}

/// The nonces of a stream.
#[derive(Default)]
struct Nonces(u64);

impl Nonces {
    fn next(&mut self, is_last: bool) -> Nonce {
        let mut nonce = [0; NONCE_LEN];
        nonce[3..11].copy_from_slice(&self.0.to_be_bytes());
        nonce[11] = u8::from(is_last);
        self.0 += 1;
        Nonce::assume_unique_for_key(nonce)
    }
}

/// Encrypts what is written to it.
pub(super) struct EncryptingWriter<W: Write> {
    inner: W,
    key: LessSafeKey,
    nonces: Nonces,
    chunk: Vec<u8>,
}

impl<W: Write> EncryptingWriter<W> {
    pub(super) fn new(mut inner: W, key: &BackupKey) -> io::Result<Self> {
        let mut salt = [0; SALT];
        SystemRandom::new().fill(&mut salt).map_err(|_| failed())?;
        inner.write_all(MAGIC)?;
        inner.write_all(&salt)?;
        Ok(Self {
            inner,
            key: key.of_stream(&salt)?,
            nonces: Nonces::default(),
            chunk: Vec::with_capacity(CHUNK + TAG),
        })
    }

    fn seal(&mut self, is_last: bool) -> io::Result<()> {
        let nonce = self.nonces.next(is_last);
        self.key.seal_in_place_append_tag(nonce, Aad::empty(), &mut self.chunk).map_err(|_| failed())?;
        self.inner.write_all(&self.chunk)?;
        self.chunk.clear();
        Ok(())
    }

    /// Writes the last chunk. Without it the stream counts as cut off.
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.seal(true)?;
        Ok(self.inner)
    }
}

impl<W: Write> Write for EncryptingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A full chunk is written only when more follows, because the last one is marked.
        if self.chunk.len() == CHUNK {
            self.seal(false)?;
        }
        let taken = bytes.len().min(CHUNK - self.chunk.len());
        self.chunk.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Decrypts what it reads. Fails with [`io::ErrorKind::InvalidData`] if the stream was changed or cut off.
pub(super) struct DecryptingReader<R: Read> {
    inner: R,
    key: LessSafeKey,
    nonces: Nonces,
    /// The next sealed chunk, read ahead to know whether it is the last one.
    ahead: Vec<u8>,
    content: Vec<u8>,
    taken: usize,
    is_ended: bool,
}

impl<R: Read> DecryptingReader<R> {
    /// Reads the stream after [`MAGIC`].
    pub(super) fn new(mut inner: R, key: &BackupKey) -> io::Result<Self> {
        let mut salt = [0; SALT];
        inner.read_exact(&mut salt).map_err(|_| not_authentic())?;
        let key = key.of_stream(&salt)?;
        let ahead = read_chunk(&mut inner)?;
        Ok(Self {
            inner,
            key,
            nonces: Nonces::default(),
            ahead,
            content: Vec::new(),
            taken: 0,
            is_ended: false,
        })
    }

    fn open_next(&mut self) -> io::Result<()> {
        let mut sealed = std::mem::replace(&mut self.ahead, read_chunk(&mut self.inner)?);
        let is_last = self.ahead.is_empty();
        let nonce = self.nonces.next(is_last);
        let opened =
            self.key.open_in_place(nonce, Aad::empty(), &mut sealed).map_err(|_| not_authentic())?.len();
        sealed.truncate(opened);
        (self.content, self.taken, self.is_ended) = (sealed, 0, is_last);
        Ok(())
    }
}

impl<R: Read> Read for DecryptingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.content.len() && !self.is_ended {
            self.open_next()?;
        }
        let taken = buffer.len().min(self.content.len() - self.taken);
        buffer[..taken].copy_from_slice(&self.content[self.taken..self.taken + taken]);
        self.taken += taken;
        Ok(taken)
    }
}

/// A sealed chunk, or nothing at the end.
fn read_chunk(inner: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut chunk = Vec::with_capacity(CHUNK + TAG);
    inner.take((CHUNK + TAG) as u64).read_to_end(&mut chunk)?;
    Ok(chunk)
}

pub(super) fn not_authentic() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "not authentic")
}

fn failed() -> io::Error {
    io::Error::other("encryption failed")
}
