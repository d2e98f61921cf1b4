// The list of documents: its filters, its next page, and live changes of its rows.

import { HttpError, requestPart } from "../http.js"
import { onConnectionChange, onEvent } from "../events.js"
import { parseHtml } from "../page.js"
import { showTimes } from "../times.js"
import { toast } from "../toast.js"
import { keepSelected, showSelected } from "./selection.js"

const TYPING_PAUSE = 200
// Events within this time are answered by one request. People do not notice the delay.
const BATCH_PAUSE = 60
// The pause between requests while the server does not respond.
const OFFLINE_PAUSE = 2000
const MAX_BATCH = 50
// New documents add rows at the top. The list reloads when it has this many rows more than were loaded.
const MAX_EXTRA_ROWS = 100
// The events that change a row. Events such as views of documents do not.
const ROW_EVENTS = /^(RUN_|STEP_|DOCUMENT_UPLOADED|DOCUMENT_HIDDEN|DOCUMENT_UNHIDDEN|MARK_REVIEWED|REVIEW_REOPENED|INTERPRETATION_EDITED|SUBJECT_PURGED)/

const form = document.getElementById("filters")
const table = document.getElementById("documents")
const total = document.getElementById("total")
const more = document.getElementById("more")
const rows = () => document.getElementById("rows")

let requests = new AbortController()
let loaded = rows().rows.length
let isFromTop = !new URLSearchParams(location.search).has("cursor")

/** The filters that are set, as query parameters. */
export function filters() {
  const set = [...new FormData(form)].filter(([, value]) => value.trim() !== "")
  return new URLSearchParams(set)
}

/** The review queue (sorted by confidence) takes no filters, no export and no reprocessing: disables them. Hidden documents are
    neither exported nor processed all at once. */
function updateControls() {
  const isQueue = form.elements.sort.value !== ""
  for (const field of form.querySelectorAll("#q, #status, #hidden, fieldset:not(.order)")) field.disabled = isQueue
  form.querySelector(".tools").hidden = isQueue || form.elements.hidden.checked
}

function withQuery(path, query) {
  const text = query.toString()
  return text ? `${path}?${text}` : path
}

/** Loads rows: a <tbody> with the total and the address of the next page as data attributes. */
async function loadRows(query, signal, isBackground = false) {
  const body = parseHtml(await requestPart(withQuery("/app/rows", query), { signal, isBackground })).querySelector("tbody")
  showTimes(body)
  return body
}

function showError(error) {
  if (error.name !== "AbortError") toast(error.message, "error")
}

function updateMoreButton(body) {
  more.parentElement.hidden = !body.dataset.next
  more.href = body.dataset.next ?? ""
  if (body.dataset.more) more.textContent = body.dataset.more
}

function updateEmptyState() {
  const isEmpty = rows().rows.length === 0
  const isFiltered = filters().size > 0
  table.hidden = isEmpty
  document.getElementById("no-results").hidden = !isEmpty || !isFiltered
  document.getElementById("no-documents").hidden = !isEmpty || isFiltered
  showSelected()
}

/** Loads the list from its start, with the current filters. */
export async function reload() {
  requests.abort()
  requests = new AbortController()
  const { signal } = requests
  try {
    const body = await loadRows(filters(), signal)
    if (signal.aborted) return
    rows().replaceWith(body)
    total.textContent = body.dataset.total ?? total.textContent
    loaded = body.rows.length
    isFromTop = true
    updateMoreButton(body)
    for (const row of body.rows) keepSelected(row)
    updateEmptyState()
  } catch (error) {
    showError(error)
  }
}

// Filters

function updateExportLinks() {
  for (const link of document.querySelectorAll("[data-export]")) {
    const query = filters()
    query.set("format", link.dataset.export)
    link.href = withQuery("/documents/export", query)
  }
}

/** Applies the filters and puts them into the address. The back button undoes a choice, or everything typed, in one step. */
function applyFilters(isTyped) {
  updateControls()
  const address = withQuery("/app", filters())
  if (address !== location.pathname + location.search) {
    const isStillTyping = isTyped && history.state?.isTyped
    history[isStillTyping ? "replaceState" : "pushState"]({ isTyped }, "", address)
  }
  updateExportLinks()
  reload()
}

let typing
form.addEventListener("input", ({ target }) => {
  clearTimeout(typing)
  if (target.type === "search") typing = setTimeout(() => applyFilters(true), TYPING_PAUSE)
  else applyFilters(false)
})
form.addEventListener("submit", (event) => {
  event.preventDefault()
  clearTimeout(typing)
  applyFilters(false)
})
document.getElementById("clear-filters").addEventListener("click", (event) => {
  event.preventDefault()
  setFilters(new URLSearchParams())
  applyFilters(false)
})

function setFilters(query) {
  for (const field of form.elements) {
    if (!field.name) continue
    const value = query.get(field.name) ?? ""
    if (field.type === "radio" || field.type === "checkbox") field.checked = field.value === value
    else field.value = value
  }
  updateControls()
}

addEventListener("popstate", () => {
  setFilters(new URLSearchParams(location.search))
  updateExportLinks()
  reload()
})

// The next page

more.addEventListener("click", async (event) => {
  event.preventDefault()
  more.setAttribute("aria-busy", "true")
  try {
    const body = await loadRows(new URL(more.href).searchParams, requests.signal)
    const shown = new Set([...rows().rows].map((row) => row.dataset.id))
    const added = [...body.rows].filter((row) => !shown.has(row.dataset.id))
    rows().append(...added)
    loaded = rows().rows.length
    added.forEach(keepSelected)
    updateMoreButton(body)
    updateEmptyState()
    added[0]?.querySelector("a.name").focus()
  } catch (error) {
    showError(error)
  } finally {
    more.removeAttribute("aria-busy")
  }
})

// Live changes

const changedIds = new Set()
let timer

function scheduleUpdate(pause = BATCH_PAUSE) {
  if (changedIds.size > 0) timer ??= setTimeout(updateRows, pause)
}

onEvent((event) => {
  const id = event.document_id ?? (event.event_type === "SUBJECT_PURGED" ? event.subject_id : null)
  if (!id || !ROW_EVENTS.test(event.event_type)) return
  changedIds.add(id)
  scheduleUpdate()
})
// Updates that failed while the server did not respond are repeated as soon as it does.
onConnectionChange((isConnected) => {
  if (!isConnected) return
  clearTimeout(timer)
  timer = undefined
  scheduleUpdate()
})

async function updateRows() {
  const ids = [...changedIds].slice(0, MAX_BATCH)
  for (const id of ids) changedIds.delete(id)
  const { signal } = requests
  let isOffline = false
  try {
    const query = filters()
    query.set("ids", ids.join(","))
    const body = await loadRows(query, signal, true)
    mergeRows(ids, body)
  } catch (error) {
    // After an abort the list is loading again: these rows are updated afterwards.
    isOffline = error instanceof HttpError && error.status === 0
    if (isOffline || error.name === "AbortError") for (const id of ids) changedIds.add(id)
    else showError(error)
  } finally {
    timer = undefined
  }
  scheduleUpdate(isOffline ? OFFLINE_PAUSE : BATCH_PAUSE)
}

function mergeRows(ids, body) {
  const received = new Map([...body.rows].map((row) => [row.dataset.id, row]))
  for (const id of ids) {
    const old = rows().querySelector(`tr[data-id="${id}"]`)
    const row = received.get(id)
    if (old && row) replace(old, row)
    else if (old) old.remove()
    else if (row && isFromTop) insert(row)
  }
  if (body.dataset.total) total.textContent = body.dataset.total
  updateEmptyState()
  if (rows().rows.length > loaded + MAX_EXTRA_ROWS) reload()
}

/** Replaces a row and keeps the focus in it. */
function replace(old, row) {
  const focused = old.contains(document.activeElement) ? document.activeElement.tagName : null
  keepSelected(row)
  old.replaceWith(row)
  if (focused) row.querySelector(focused.toLowerCase() === "input" ? "input" : "a.name")?.focus()
}

/** Inserts a row at its place. A row after the last loaded one is left for the next page. */
function insert(row) {
  const place = Number(row.dataset.place)
  const before = [...rows().rows].find((other) => Number(other.dataset.place) < place)
  if (!before && !more.parentElement.hidden) return
  row.classList.add("new")
  keepSelected(row)
  rows().insertBefore(row, before ?? null)
}
