use std::io::{Read as _, Write as _};
use std::path::Path;

use super::cipher::{DecryptingReader, EncryptingWriter, MAGIC};
use super::*;

fn key(digit: char) -> BackupKey {
    BackupKey::parse(&digit.to_string().repeat(64)).unwrap()
}

/// Names and contents: a long name, an empty file, more than a chunk.
fn contents() -> Vec<(String, Vec<u8>)> {
    vec![
        (DATABASE.to_owned(), vec![1; 100_000]),
        (format!("{DOCUMENTS}installation-id"), b"id\n".to_vec()),
        (format!("{DOCUMENTS}{}/{}", "a".repeat(90), "b".repeat(200)), vec![2; 512]),
        (format!("{DOCUMENTS}d/empty"), Vec::new()),
    ]
}

fn write(path: &Path, key: Option<&BackupKey>) -> BackupSummary {
    let mut archive = ArchiveWriter::create(path, path.parent().unwrap(), key).unwrap();
    for (name, content) in contents() {
        archive.begin(&name, content.len() as u64).unwrap();
        for piece in content.chunks(1000) {
            archive.write(piece).unwrap();
        }
        archive.end().unwrap();
    }
    assert!(!path.exists(), "it has no name before it is complete");
    archive.finish("1.2.3", "2026-01-01T00:00:00Z".to_owned(), "an id".to_owned()).unwrap()
}

#[test]
fn a_backup_comes_back_as_it_was_with_and_without_a_key() {
    for key in [None, Some(key('7'))] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("backup.tar");
        let written = write(&path, key.as_ref());
        assert_eq!((written.entries, written.bytes), (4, 100_515));
        let target = folder.path().join("out");
        assert_eq!(extract(&path, key.as_ref(), &target).unwrap(), written);
        for (name, content) in contents() {
            assert_eq!(std::fs::read(target.join(&name)).unwrap(), content, "{name}");
        }
        let stored = std::fs::read(&path).unwrap();
        let has_name = stored.windows(8).any(|bytes| bytes == b"database");
        assert_eq!(has_name, key.is_none(), "an encrypted backup shows nothing");
    }
}

#[test]
fn a_backup_never_replaces_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("backup.tar");
    let archive = ArchiveWriter::create(&path, folder.path(), None).unwrap();
    std::fs::write(&path, "older").unwrap();
    assert!(matches!(archive.finish("1", String::new(), String::new()), Err(ArchiveError::Io(_))));
    assert_eq!(std::fs::read(&path).unwrap(), b"older");
}

#[test]
fn another_program_reads_a_backup_without_a_key() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("backup.tar"), None);
    let listed =
        std::process::Command::new("tar").args(["-tf", "backup.tar"]).current_dir(folder.path()).output();
    let listed = String::from_utf8(listed.unwrap().stdout).unwrap();
    let mut expected: Vec<String> = contents().into_iter().map(|(name, _)| name).collect();
    expected.push(MANIFEST.to_owned());
    assert_eq!(listed.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn a_backup_that_was_changed_anywhere_or_cut_off_is_refused() {
    for key in [None, Some(key('7'))] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("backup.tar");
        write(&path, key.as_ref());
        let whole = std::fs::read(&path).unwrap();
        let changes: [(&str, Vec<u8>); 5] = [
            ("content", changed(&whole, 60_000)),
            ("beginning", changed(&whole, 200)),
            ("end", changed(&whole, whole.len() - 1300)),
            ("half", whole[..whole.len() / 2].to_vec()),
            ("last chunk", whole[..whole.len() - 2000].to_vec()),
        ];
        for (what, content) in changes {
            std::fs::write(&path, content).unwrap();
            let refused = extract(&path, key.as_ref(), &folder.path().join("out"));
            assert!(refused.is_err(), "{what}, {}", key.is_some());
        }
    }
}

fn changed(whole: &[u8], place: usize) -> Vec<u8> {
    let mut content = whole.to_vec();
    content[place] ^= 1;
    content
}

#[test]
fn the_wrong_key_no_key_and_a_key_too_many_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, sealed) = (folder.path().join("plain.tar"), folder.path().join("sealed.tar"));
    write(&plain, None);
    write(&sealed, Some(&key('7')));
    let out = folder.path().join("out");
    assert!(matches!(extract(&sealed, None, &out), Err(ArchiveError::KeyMissing)));
    assert!(matches!(extract(&sealed, Some(&key('8')), &out), Err(ArchiveError::NotAuthentic)));
    assert!(matches!(extract(&plain, Some(&key('7')), &out), Err(ArchiveError::KeyUnneeded)));
    std::fs::write(&plain, vec![b'x'; 5000]).unwrap();
    assert!(matches!(extract(&plain, None, &out), Err(ArchiveError::NoBackup)));
    for wrong in ["", "12", &"g".repeat(64), &"1".repeat(63)] {
        assert!(BackupKey::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_name_that_leads_out_of_the_folder_is_refused() {
    for name in ["documents/../../etc/passwd", "/etc/passwd", "documents//x", "elsewhere/x"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("backup.tar");
        let mut archive = ArchiveWriter::create(&path, folder.path(), None).unwrap();
        archive.begin(name, 1).unwrap();
        archive.write(b"x").unwrap();
        archive.end().unwrap();
        archive.finish("1", String::new(), String::new()).unwrap();
        assert!(
            matches!(extract(&path, None, &folder.path().join("out")), Err(ArchiveError::NoBackup)),
            "{name}"
        );
    }
}

#[test]
fn chunks_of_every_length_come_back_and_cannot_be_left_out() {
    for length in [0, 1, (64 << 10) - 1, 64 << 10, (64 << 10) + 1, 128 << 10] {
        let content: Vec<u8> = (0..=255).cycle().take(length).collect();
        let mut writer = EncryptingWriter::new(Vec::new(), &key('7')).unwrap();
        writer.write_all(&content).unwrap();
        let sealed = writer.finish().unwrap();
        let mut read = Vec::new();
        DecryptingReader::new(&sealed[MAGIC.len()..], &key('7')).unwrap().read_to_end(&mut read).unwrap();
        assert_eq!(read, content);
        // Without its last chunk the stream would end where a chunk ends.
        let chunk = (64 << 10) + 16;
        let head = MAGIC.len() + 32;
        if sealed.len() > head + chunk {
            let cut = &sealed[MAGIC.len()..head + chunk];
            let opened = DecryptingReader::new(cut, &key('7')).unwrap().read_to_end(&mut Vec::new());
            assert!(opened.is_err(), "{length}");
        }
    }
}
