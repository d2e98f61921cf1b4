//! Search by meaning with a real model on this machine.

use serde_json::json;

use super::encoded;
use crate::record::upload_lines;
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    /// Proves R166, R204: the vectors of a real model are stored, and documents are found that say the same in other words.
    documents_are_found_by_their_meaning,
}

/// A folder with a real model, which `cargo xtask test` downloads.
fn model_folder() -> String {
    std::env::var("QUIRE_TEST_EMBEDDING_MODEL")
        .expect("QUIRE_TEST_EMBEDDING_MODEL names no folder with a model; `cargo xtask test` downloads one")
}

async fn documents_are_found_by_their_meaning(env: &TestEnv) {
    // Settings in a file, because the path is known only here.
    env.cli.write("quire.toml", &format!("[search]\nmodel_folder = {:?}\n", model_folder()));
    let server = env.cli.serve();
    let texts = [
        "Recipe: mix flour, butter and sugar and bake the cake for forty minutes in the oven",
        "Lease agreement between landlord and tenant for an apartment in the city centre",
        "Invoice for office furniture: four chairs and two desks, payable within thirty days",
        "The feline was vaccinated against rabies and leukemia during the visit in May",
    ];
    let mut ids = Vec::new();
    for text in texts {
        let id = upload_lines(&server, &[text]);
        env.wait_until_completed(id).await;
        ids.push(json!(id));
    }
    for (query, expected) in [
        ("dessert cooking", &ids[0]),
        ("renting a flat", &ids[1]),
        ("furniture bill", &ids[2]),
        ("kitten shots", &ids[3]),
    ] {
        let found = server.json(&format!("/search?q={}", encoded(query)));
        assert_eq!(&found["items"][0]["document"]["document_id"], expected, "{query}: {found}");
    }
    // What a query demands holds for both halves.
    assert_eq!(server.json("/search?q=dessert+cooking+-flour")["items"], json!([]));
    drop(server);
    for (settings, expected) in [
        ("model_folder = '/nowhere'", "model.safetensors cannot be read"),
        ("model_folder = '/nowhere'\nurl = 'http://localhost:1/v1'", "must be empty if search.url is set"),
    ] {
        env.cli.write("quire.toml", &format!("[search]\n{settings}\n"));
        let refused = env.cli.run_err(&["search", "cake"]);
        assert!(refused.contains("search.model_folder") && refused.contains(expected), "{refused}");
    }
}
