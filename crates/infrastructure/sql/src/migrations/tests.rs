use super::*;

const TWO: &[Migration] = &[
    Migration { name: "0001_one", up: "one up", down: "one down", beside: None },
    Migration { name: "0002_two", up: "two up", down: "two down", beside: None },
];

fn applied(count: usize) -> Vec<Applied> {
    vec![Applied { at: Timestamp::UNIX_EPOCH, checksum: None, oldest_program: None }; count]
}

fn sql(count: usize, direction: Direction) -> Option<String> {
    let step = next(TWO, &applied(count), None, direction).unwrap()?;
    Some(step.parts[0].sql.trim().to_owned())
}

#[test]
fn each_step_is_the_next_one_in_its_direction() {
    assert_eq!(sql(0, Direction::Up(None)).as_deref(), Some("one up"));
    assert_eq!(sql(1, Direction::Up(None)).as_deref(), Some("two up"));
    assert_eq!(sql(2, Direction::Up(None)), None);
    assert_eq!(sql(1, Direction::Up(Some(1))), None);
    assert_eq!(sql(2, Direction::Down(0)).as_deref(), Some("two down"));
    assert_eq!(sql(1, Direction::Down(1)), None);
    assert_eq!(sql(0, Direction::Down(0)), None);
}

#[test]
fn a_database_that_is_newer_than_this_program_is_refused() {
    assert!(matches!(next(TWO, &applied(3), None, Direction::Up(None)), Err(PortError::Conflict(_))));
    assert!(matches!(status(TWO, &applied(3)), Err(PortError::Conflict(_))));
}

#[test]
fn a_program_works_beside_newer_migrations_that_allow_it_and_cannot_revert_them() {
    let newer = |oldest: &[Option<u32>]| -> Vec<Applied> {
        let third = |oldest_program| Applied { oldest_program, ..applied(1).remove(0) };
        applied(2).into_iter().chain(oldest.iter().copied().map(third)).collect()
    };
    for (oldest, is_allowed) in [
        (&[Some(2)][..], true),
        (&[Some(1), Some(2)], true),
        (&[Some(3)], false),
        (&[Some(2), Some(4)], false),
        (&[None], false),
    ] {
        let applied = newer(oldest);
        assert_eq!(status(TWO, &applied).is_ok(), is_allowed, "{oldest:?}");
        assert_eq!(next(TWO, &applied, None, Direction::Up(None)).is_ok(), is_allowed, "{oldest:?}");
        assert!(next(TWO, &applied, None, Direction::Down(0)).is_err(), "{oldest:?}");
    }
    assert_eq!(
        next(TWO, &newer(&[Some(2)]), None, Direction::Up(None)),
        Ok(None),
        "nothing is left to apply"
    );
}

#[test]
fn a_migration_names_the_oldest_program_or_needs_one_that_knows_it() {
    let expand = Migration { name: "0003_three", beside: Some("0001_one"), ..TWO[0] };
    let three = [TWO[0], TWO[1], expand];
    let oldest: Vec<u32> = status(&three, &[]).unwrap().iter().map(|one| one.oldest_program).collect();
    assert_eq!(oldest, [1, 2, 1]);
}

#[test]
fn a_migration_that_changed_after_it_was_applied_is_refused() {
    let with = |checksum: &str| vec![Applied { checksum: Some(checksum.to_owned()), ..applied(1).remove(0) }];
    assert!(status(TWO, &with(&TWO[0].checksum())).is_ok());
    let refused = status(TWO, &with(&TWO[1].checksum())).unwrap_err().to_string();
    assert!(refused.contains("0001_one has changed"), "{refused}");
    assert!(next(TWO, &with("other"), None, Direction::Down(0)).is_err());
    assert_eq!(missing_checksums(TWO, &applied(1)), [(1, TWO[0].checksum())]);
    assert_eq!(missing_checksums(TWO, &with("any")), []);
    let windows = Migration { up: "a\r\nb", ..TWO[0] };
    assert_eq!(windows.checksum(), Migration { up: "a\nb", ..TWO[0] }.checksum());
}

#[test]
fn an_interrupted_migration_continues_and_cannot_be_turned_round() {
    let progress = MigrationProgress { part: 2, last_key: Some(Uuid::from_u128(7)), rows: 9 };
    let unfinished = |is_up| Unfinished { version: 2, is_up, checksum: TWO[1].checksum(), progress };
    let step = next(TWO, &applied(1), Some(&unfinished(true)), Direction::Up(None)).unwrap().unwrap();
    assert_eq!((step.version, step.progress), (2, progress));
    for (is_up, count, direction, command) in [
        (true, 1, Direction::Down(0), "quire migrate up --to 2"),
        (false, 2, Direction::Up(None), "quire migrate down --to 1"),
    ] {
        let refused =
            next(TWO, &applied(count), Some(&unfinished(is_up)), direction).unwrap_err().to_string();
        assert!(refused.contains(command), "{refused}");
    }
    let other = Unfinished { checksum: "other".to_owned(), ..unfinished(true) };
    assert!(next(TWO, &applied(1), Some(&other), Direction::Up(None)).is_err(), "another file was begun");
}

#[test]
fn directives_divide_a_file_into_parts() {
    let file = "-- About it.\n\n-- no-transaction\n-- Why.\nDROP INDEX a;\nCREATE INDEX a;\n\
                -- in batches of runs.id\nUPDATE runs;\n-- transaction\nALTER TABLE b;\n";
    let parts = parts(file);
    let batches = PartKind::Batches { table: "runs".to_owned(), key: "id".to_owned(), fields: false };
    let kinds: Vec<_> = parts.iter().map(|part| part.kind.clone()).collect();
    assert_eq!(kinds, [PartKind::Statements, batches, PartKind::Transaction]);
    assert_eq!(statements(&parts[0].sql), ["DROP INDEX a", "CREATE INDEX a"]);
    let filled = super::parts("-- fields in batches of runs.id\nSELECT a;\n\nINSERT b;\n").remove(0);
    assert!(matches!(&filled.kind, PartKind::Batches { fields: true, .. }));
    assert_eq!((filled.statement().as_str(), filled.insert_statement().as_str()), ("SELECT a", "INSERT b"));
    let plain = super::parts("-- About it.\nCREATE TABLE a;\n");
    assert_eq!((plain.len(), &plain[0].kind), (1, &PartKind::Transaction));
}
