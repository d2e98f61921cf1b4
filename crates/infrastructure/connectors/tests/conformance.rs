//! Runs the conformance suite of the `BlobStore` port on every kind of storage.

#![allow(clippy::unwrap_used)]

mod objects;
mod s3_folder_server;

mod disk {
    use std::sync::Arc;

    use quire_connectors::blob::DiskBlobs;
    use quire_testkit::BlobStoreFixture;

    #[allow(clippy::unused_async)] // The suite expects an async function, because other stores are created over a network.
    async fn fixture() -> BlobStoreFixture {
        let folder = tempfile::tempdir().unwrap();
        let blobs = DiskBlobs::open(folder.path().join("documents")).unwrap();
        BlobStoreFixture { blobs: Arc::new(blobs), keep: Box::new(folder) }
    }

    quire_testkit::blobs_conformance!(crate::disk::fixture);
}

mod azure {
    use std::sync::Arc;

    use quire_testkit::BlobStoreFixture;
    use quire_testkit::object_services::azure_container;

    async fn fixture() -> BlobStoreFixture {
        let blobs = crate::objects::azure(&azure_container().await);
        BlobStoreFixture { blobs: Arc::new(blobs), keep: Box::new(()) }
    }

    quire_testkit::blobs_conformance!(crate::azure::fixture);
}

/// moto, which accepts any signature.
mod s3 {
    use std::sync::Arc;

    use quire_testkit::BlobStoreFixture;
    use quire_testkit::object_services::s3_bucket;

    async fn fixture() -> BlobStoreFixture {
        let blobs = crate::objects::s3(&s3_bucket().await, "test");
        BlobStoreFixture { blobs: Arc::new(blobs), keep: Box::new(()) }
    }

    quire_testkit::blobs_conformance!(crate::s3::fixture);
}

/// s3s-fs, which checks signatures. It runs the cases that a server over a folder can hold: its files and folders share their
/// names, and it neither creates nor replaces an object together with its metadata in one step.
mod s3_folder {
    use std::sync::Arc;

    use quire_ports::{BlobStore as _, PortError};
    use quire_testkit::BlobStoreFixture;

    use crate::s3_folder_server::{S3FolderServer, SECRET};

    async fn fixture() -> BlobStoreFixture {
        let server = S3FolderServer::start().await;
        let blobs = crate::objects::s3(&server.bucket(), SECRET);
        BlobStoreFixture { blobs: Arc::new(blobs), keep: Box::new(server) }
    }

    quire_testkit::conformance_cases! { crate::s3_folder::fixture, blobs:
        get_returns_what_was_put,
        a_file_may_be_empty,
        a_put_replaces_the_file,
        an_invalid_name_is_refused_by_every_method,
        a_file_larger_than_the_limit_is_refused,
        a_range_returns_only_its_bytes,
        a_range_beyond_the_end_is_reported_as_corrupt,
        removing_a_folder_removes_everything_below_it_and_nothing_beside_it,
        removing_a_missing_folder_removes_nothing,
        a_removed_folder_can_be_used_again,
        puts_during_a_folder_removal_are_complete_or_gone,
        a_file_written_in_pieces_equals_a_file_put_whole,
        an_unfinished_file_is_not_visible,
        an_abandoned_file_leaves_nothing_behind,
        files_written_concurrently_do_not_mix,
        the_files_of_a_folder_are_listed_with_their_sizes,
        the_top_folders_are_listed_with_the_time_of_their_last_file,
        a_new_file_never_replaces_another,
    }
    quire_testkit::conformance_cases! { crate::s3_folder::fixture, large_blobs:
        a_large_file_arrives_as_it_was_sent,
        of_large_files_of_one_name_at_once_a_complete_one_remains,
        an_abandoned_large_file_leaves_nothing_behind,
        a_folder_of_many_files_is_removed_whole,
        every_folder_is_listed_once,
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_request_signed_with_another_secret_is_refused_and_stores_nothing() {
        let server = S3FolderServer::start().await;
        let stranger = crate::objects::s3(&server.bucket(), "another");
        let refused = stranger.put("a/original.pdf", b"abc".to_vec()).await.unwrap_err();
        let PortError::Unavailable { service: "storage", reason, .. } = refused else { panic!("{refused}") };
        assert!(reason.contains("refuses the credential"), "{reason}");
        let owner = crate::objects::s3(&server.bucket(), SECRET);
        assert_eq!(owner.files("a").await.unwrap(), []);
    }
}
