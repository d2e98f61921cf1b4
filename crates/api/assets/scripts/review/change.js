// Changes that a person makes: the change object for the server, and what the page needs to show it.

/** Sets the value of a row; adds a field if the row is empty. */
export function setChange(row, value) {
  const { field, key, visit, type, title } = row.dataset
  if (!field) return addChange({ key, visit: visit || null, type, title }, value)
  return { title, body: { op: "UPDATE", field_id: field, value, value_type: type } }
}

/** Adds a field. */
function addChange({ key, visit, type, title }, value) {
  return addEntered({ key, visit, title }, { value, value_type: type })
}

/** Adds a field with what a person entered. */
export function addEntered({ key, visit, title }, entered) {
  const body = { op: "ADD", key, ...entered }
  if (visit) body.visit_id = visit
  return { title, body }
}

/** Sets what a person entered as the value of a row; adds a field if the row is empty. Null clears the value. */
export function enterChange(row, entered) {
  const { field, key, visit, title } = row.dataset
  if (entered === null) return setChange(row, null)
  if (!field) return addEntered({ key, visit: visit || null, title }, entered)
  return { title, body: { op: "UPDATE", field_id: field, ...entered } }
}

/** The same change with another content: one of the readings of its text, or the text as it is. */
export function withContent({ title, body: { text, ...body } }, content) {
  return { title, body: { ...body, ...content }, text }
}

export function deleteChange(row) {
  return { title: row.dataset.title, body: { op: "DELETE", field_id: row.dataset.field } }
}

/** Brings back a deleted field as it was. */
export const restoreChange = (field, title) => ({ title, body: { op: "RESTORE", field_id: field } })

/** Moves a field to another visit. */
export function moveChange(row, visit) {
  return { title: row.dataset.title, body: { op: "UPDATE", field_id: row.dataset.field, visit_id: visit } }
}

export function addVisitChange(metadata, title) {
  // With an id of its own, the visit is recognised if the request is sent again because its response was lost.
  const visit = `visit-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`
  return { title, body: { op: "ADD", visit_id: visit, visit: metadata } }
}

export const deleteVisitChange = (visit, title) => ({ title, body: { op: "DELETE", visit_id: visit } })

/** The change that undoes a deletion. */
export const undoChange = ({ title, body }) => ({ title, body: { ...body, op: "RESTORE" } })

/** The row that shows a saved change: that of the field, the first one of a new visit, or the last one of a new field's key. */
export function rowOfChange({ body }, rows) {
  const { field_id: field, key, visit_id: visit } = body
  if (field) return rows.find((row) => row.dataset.field === field)
  const ofVisit = rows.filter((row) => row.dataset.visit === (visit ?? ""))
  return key ? ofVisit.findLast((row) => row.dataset.key === key) : ofVisit[0]
}
