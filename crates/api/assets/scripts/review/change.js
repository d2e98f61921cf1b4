// Changes that a person makes: the change object for the server, and what the person saw when they made it.

import { rowOf, rows, valueOf } from "./panel.js"

const normalize = (value) => (value === null || value === undefined ? "" : String(value).trim().replace(/\s+/g, " "))

/** Whether two values are the same apart from white space. */
export const isSame = (one, other) => normalize(one) === normalize(other)

const knownFields = () => new Set(rows().map((row) => row.dataset.field))

const about = (row) => ({
  field: row.dataset.field,
  key: row.dataset.key,
  visit: row.dataset.visit || null,
  type: row.dataset.type,
  title: row.dataset.title,
  isRepeatable: row.dataset.repeatable !== undefined,
  was: valueOf(row),
})

/** Sets the value of a row; adds a field if the row is empty. */
export function setChange(row, value) {
  const change = about(row)
  if (!change.field) return addChange(change, value)
  return { ...change, kind: "update", value, body: { op: "UPDATE", field_id: change.field, value, value_type: change.type } }
}

/** Adds a field. */
export function addChange({ key, visit, type, title, isRepeatable }, value) {
  const body = { op: "ADD", key, value, value_type: type }
  if (visit) body.visit_id = visit
  return { kind: "add", key, visit, type, title, isRepeatable, was: null, value, known: knownFields(), body }
}

export function deleteChange(row) {
  const change = about(row)
  return { ...change, kind: "delete", value: null, body: { op: "DELETE", field_id: change.field } }
}

/** Moves a field to another visit. */
export function moveChange(row, visit) {
  const change = about(row)
  return { ...change, kind: "move", to: visit, body: { op: "UPDATE", field_id: change.field, visit_id: visit } }
}

export function addVisitChange(metadata, title) {
  // The page chooses the id, so that it recognises a visit that was saved although the response was lost.
  const visit = `visit-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`
  return { kind: "add visit", visit, title, body: { op: "ADD", visit_id: visit, visit: metadata } }
}

export const deleteVisitChange = (visit, title) => ({ kind: "delete visit", visit, title, body: { op: "DELETE", visit_id: visit } })

/** The same change after an earlier change of this page was saved; null if that has already done it. */
export function rebased(change) {
  if (change.kind === "delete") return rowOf(change.field) ? change : null
  if (change.kind !== "add" || change.isRepeatable) return change
  const row = rows().find(({ dataset: { field, key, visit } }) => {
    return field !== "" && key === change.key && (visit || null) === change.visit && !change.known.has(field)
  })
  return row ? setChange(row, change.value) : change
}

/** The field that a change is about. Fields of another run have other ids: there it is recognised by key and visit, and among
    several by its value. */
function fieldOf(change, fields, isOtherRun) {
  if (!isOtherRun) return fields.find((field) => field.field_id === change.field)
  const candidates = fields.filter((field) => field.key === change.key && (field.visit_id ?? null) === change.visit)
  return change.isRepeatable ? candidates.find((field) => isSame(field.value, change.was)) : candidates[0]
}

/** Whether these fields already are as the change wants them. */
export function isDone(change, fields, isOtherRun) {
  const own = fieldOf(change, fields, isOtherRun)
  switch (change.kind) {
    case "update": return own !== undefined && isSame(own.value, change.value)
    case "delete": return own === undefined
    case "move": return own !== undefined && (own.visit_id ?? null) === change.to
    case "add visit": return fields.some((field) => field.visit_id === change.visit)
    // A visit of another run may be the same under another id.
    case "delete visit": return !isOtherRun && !fields.some((field) => field.visit_id === change.visit)
    default: return fields.some((field) => isAdded(change, field) && isSame(field.value, change.value))
  }
}

function isAdded(change, field) {
  return field.key === change.key && (field.visit_id ?? null) === change.visit && !change.known.has(field.field_id)
}

/** What another person has made of the field, or null if they left it alone. */
export function conflictOf(change, fields, isOtherRun) {
  switch (change.kind) {
    case "update":
    case "delete": {
      const own = fieldOf(change, fields, isOtherRun)
      if (own === undefined) return { value: null, isDeleted: true }
      if (!isOtherRun && isSame(own.value, change.was)) return null
      return { value: own.value, field: own.field_id }
    }
    case "add": {
      const added = change.isRepeatable ? undefined : fields.find((field) => isAdded(change, field) && !isSame(field.value, null))
      return added ? { value: added.value, field: added.field_id } : null
    }
    default: return null
  }
}

/** The same change on top of what the other person has made of the field. */
export function onTopOf(change, theirs) {
  const base = { ...change, was: theirs.value }
  if (change.kind === "delete") return { ...base, field: theirs.field, body: { op: "DELETE", field_id: theirs.field } }
  if (theirs.isDeleted) return addChange({ ...change, isRepeatable: true }, change.value)
  const body = { op: "UPDATE", field_id: theirs.field, value: change.value, value_type: change.type }
  return { ...base, kind: "update", field: theirs.field, body }
}
