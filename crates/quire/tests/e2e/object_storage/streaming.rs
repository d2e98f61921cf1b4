//! A large file passes through the server in pieces, both ways.

use super::*;

/// The size of the file. One copy of it in memory would break the limit.
const FILE_MB: u8 = 128;
/// What the server may need beyond its memory when idle.
const LIMIT_MB: u64 = 50;

#[tokio::test(flavor = "multi_thread")]
async fn a_large_file_takes_50_mb_of_the_server_on_its_way_in_and_out() {
    let container = azure_container().await;
    let azure = ObjectEnv::on_azure(&container, &container.endpoint).await.env;
    let file = large_file();
    for env in [azure, TestEnv::on_sqlite(&[])] {
        let is_on_azure = env.is_on_postgresql();
        let env = env
            .with("QUIRE_UPLOADS_PROCESSING", "false")
            .with("QUIRE_READING_MAX_FILE_MB", "1024")
            .with("QUIRE_UPLOADS_MAX_MB", "1024");
        let server = env.cli.serve();
        let (_, _, small) = upload(&server, "/documents/upload", "small.pdf", &clinical_record(1));
        assert_eq!(server.get_bytes(&format!("/documents/{small}/download")).status, 200);
        let idle = server.used_memory_mb();

        let form = Form::file("large.pdf", &file);
        let uploaded = form.send(&server, "/documents/upload");
        assert_eq!(uploaded.status, 201, "{}", uploaded.body);
        drop(form);
        let written = server.peak_memory_mb().saturating_sub(idle);
        let returned = server.get_bytes(&format!("/documents/{}/download", uploaded.document_id()));
        assert!(returned.status == 200 && returned.body == file, "it comes back as it was sent");
        let read = server.peak_memory_mb().saturating_sub(idle);
        assert!(
            read <= LIMIT_MB,
            "on Azure {is_on_azure}: {written} MB after the upload, {read} MB after the download, when idle {idle} MB"
        );
    }
}

/// Begins as a PDF does. No two megabytes are the same.
fn large_file() -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    for number in 0..FILE_MB {
        file.resize(file.len() + (1 << 20), number);
    }
    file
}
