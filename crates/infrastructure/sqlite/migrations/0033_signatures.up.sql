-- Signatures of texts, by which documents are found that have most of a text in common.

-- NULL until the text is indexed, so that documents from before are indexed again; empty if the text is too short.
ALTER TABLE search_documents ADD COLUMN signature BLOB;

CREATE TABLE search_bands (
    band            INTEGER NOT NULL,
    document_number INTEGER NOT NULL REFERENCES search_documents (number) ON DELETE CASCADE,
    PRIMARY KEY (band, document_number)
) WITHOUT ROWID;

CREATE INDEX search_bands_by_document ON search_bands (document_number);
