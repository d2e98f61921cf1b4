// What somebody wants changed: what is sent for it, and what they saw when they wished it.

import { rowOf, rows, valueOf } from "./panel.js"

const plain = (value) => (value === null || value === undefined ? "" : String(value).trim().replace(/\s+/g, " "))

/** Whether a person would call both the same. */
export const isSame = (one, other) => plain(one) === plain(other)

const known = () => new Set(rows().map((row) => row.dataset.field))

const about = (row) => ({
  field: row.dataset.field,
  key: row.dataset.key,
  visit: row.dataset.visit || null,
  type: row.dataset.type,
  title: row.dataset.title,
  isRepeatable: row.dataset.repeatable !== undefined,
  was: valueOf(row),
})

/** Another value for a row, or its first. */
export function give(row, mine) {
  const wish = about(row)
  if (!wish.field) return add(wish, mine)
  return { ...wish, kind: "update", mine, change: { op: "UPDATE", field_id: wish.field, value: mine, value_type: wish.type } }
}

/** A new field. */
export function add({ key, visit, type, title, isRepeatable }, mine) {
  const change = { op: "ADD", key, value: mine, value_type: type }
  if (visit) change.visit_id = visit
  return { kind: "add", key, visit, type, title, isRepeatable, was: null, mine, known: known(), change }
}

export function remove(row) {
  const wish = about(row)
  return { ...wish, kind: "delete", mine: null, change: { op: "DELETE", field_id: wish.field } }
}

/** Another visit for a row. */
export function assign(row, visit) {
  const wish = about(row)
  return { ...wish, kind: "move", to: visit, change: { op: "UPDATE", field_id: wish.field, visit_id: visit } }
}

export function addVisit(told, title) {
  // The name is chosen here, so that a visit that was saved without an answer is known again.
  const visit = `visit-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`
  return { kind: "visit", visit, title, change: { op: "ADD", visit_id: visit, visit: told } }
}

export const removeVisit = (visit, title) => ({ kind: "no visit", visit, title, change: { op: "DELETE", visit_id: visit } })

/** The same wish after the one before it was granted; nothing if that has already done it. */
export function renewed(wish) {
  if (wish.kind === "delete") return rowOf(wish.field) ? wish : null
  if (wish.kind !== "add" || wish.isRepeatable) return wish
  const row = rows().find(({ dataset: { field, key, visit } }) => {
    return field !== "" && key === wish.key && (visit || null) === wish.visit && !wish.known.has(field)
  })
  return row ? give(row, wish.mine) : wish
}

/** The field that a wish is about. Another run has other names for its fields: there it is known by its key and visit, and among
    several by its value. */
function ownOf(wish, fields, isOtherRun) {
  if (!isOtherRun) return fields.find((field) => field.field_id === wish.field)
  const there = fields.filter((field) => field.key === wish.key && (field.visit_id ?? null) === wish.visit)
  return wish.isRepeatable ? there.find((field) => isSame(field.value, wish.was)) : there[0]
}

/** Whether these fields already are as it was wished. */
export function isGranted(wish, fields, isOtherRun) {
  const own = ownOf(wish, fields, isOtherRun)
  switch (wish.kind) {
    case "update": return own !== undefined && isSame(own.value, wish.mine)
    case "delete": return own === undefined
    case "move": return own !== undefined && (own.visit_id ?? null) === wish.to
    case "visit": return fields.some((field) => field.visit_id === wish.visit)
    // A visit of another run may be the same by another name.
    case "no visit": return !isOtherRun && !fields.some((field) => field.visit_id === wish.visit)
    default: return fields.some((field) => isAdded(wish, field) && isSame(field.value, wish.mine))
  }
}

function isAdded(wish, field) {
  return field.key === wish.key && (field.visit_id ?? null) === wish.visit && !wish.known.has(field.field_id)
}

/** What somebody else has made of it meanwhile: a field, or that it is gone. Nothing if they left it alone. */
export function contradiction(wish, fields, isOtherRun) {
  switch (wish.kind) {
    case "update":
    case "delete": {
      const own = ownOf(wish, fields, isOtherRun)
      if (own === undefined) return { value: null, isGone: true }
      if (!isOtherRun && isSame(own.value, wish.was)) return null
      return { value: own.value, field: own.field_id }
    }
    case "add": {
      const added = wish.isRepeatable ? undefined : fields.find((field) => isAdded(wish, field) && !isSame(field.value, null))
      return added ? { value: added.value, field: added.field_id } : null
    }
    default: return null
  }
}

/** The same wish, after somebody else has made that of it. */
export function insist(wish, theirs) {
  const base = { ...wish, was: theirs.value }
  if (wish.kind === "delete") return { ...base, field: theirs.field, change: { op: "DELETE", field_id: theirs.field } }
  if (theirs.isGone) return add({ ...wish, isRepeatable: true }, wish.mine)
  const change = { op: "UPDATE", field_id: theirs.field, value: wish.mine, value_type: wish.type }
  return { ...base, kind: "update", field: theirs.field, change }
}
