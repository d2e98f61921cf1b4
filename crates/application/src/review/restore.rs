//! The deleted fields that an edit brings back.

use quire_domain::RunId;
use quire_ports::{PortResult, Store};
use quire_understanding::Field;
use quire_understanding::edit::{ChangeType, EditOperation, restored_by};

/// The fields that a batch restores, each as it was before it was deleted last. They are found in the newest 200 versions.
pub(super) async fn deleted_fields(
    store: &Store,
    run: RunId,
    batch: &[EditOperation],
) -> PortResult<Vec<Field>> {
    let is_restore = |edit: &EditOperation| {
        matches!(edit, EditOperation::Restore { .. } | EditOperation::RestoreVisit { .. })
    };
    let mut found: Vec<Field> = Vec::new();
    if !batch.iter().any(is_restore) {
        return Ok(found);
    }
    for version in store.reviews.versions(run).await?.into_iter().rev() {
        let deleted: Vec<_> =
            version.changes.iter().filter(|change| change.change_type == ChangeType::Delete).collect();
        if deleted.is_empty() {
            continue;
        }
        let Some(before) = store.reviews.version(run, version.number.checked_sub(1)).await? else { continue };
        let is_deleted = |field: &Field| deleted.iter().any(|change| change.field_id == field.field_id);
        for field in
            before.data.fields.into_iter().filter(|field| is_deleted(field) && restored_by(batch, field))
        {
            if found.iter().all(|newer| newer.field_id != field.field_id) {
                found.push(field);
            }
        }
    }
    Ok(found)
}
