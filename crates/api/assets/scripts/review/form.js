// The review form: its rows, the selected row, and how it is refreshed.

import { requestPart } from "../http.js"
import { page, parseHtml } from "../page.js"

export const documentId = document.getElementById("review").dataset.document
export const mayEdit = page.may.review

const updateListeners = new Set()
const selectListeners = new Set()
let selectedId = null
let isHeld = false
let isPressed = false
let waitingPart = null
let maySelect = () => true
let requested = 0
let received = 0

const head = () => document.getElementById("form-head")

export const isReview = () => head().dataset.kind === "review"
export const isReviewed = () => head().dataset.reviewed === "true"
export const version = () => Number(head().dataset.version)
export const run = () => head().dataset.run
/** The titles of the critical fields without a value. */
export const emptyCritical = () => JSON.parse(head().dataset.emptyCritical)

/** Calls back whenever the form shows new content. */
export const onFormUpdate = (callback) => updateListeners.add(callback)
/** Calls back with the row that was selected, or with null. */
export const onSelect = (callback) => selectListeners.add(callback)

export const rows = () => [...document.querySelectorAll("#form-body .field")]
export const visibleRows = () => rows().filter((row) => row.offsetParent !== null)
export const selected = () => (selectedId ? document.getElementById(selectedId) : null)
export const valueOf = (row) => JSON.parse(row.dataset.value)

/** The name of a row, with its visit or section. */
export function nameOf(row) {
  const group = row.closest(".visit")?.querySelector("h3") ?? row.closest(".section")?.querySelector("h2")
  return group ? `${row.dataset.title} · ${group.textContent}` : row.dataset.title
}

/** Sets a function that may refuse the selection of a row by returning false. It may select the row later itself. */
export function setSelectGuard(callback) {
  maySelect = callback
}

function expand(row, isExpanded) {
  row.classList.toggle("selected", isExpanded)
  row.querySelector(".pick").setAttribute("aria-expanded", String(isExpanded))
  row.querySelector(".detail").hidden = !isExpanded
}

/** Selects a row, or no row if it is null. With `quietly`, neither the pages nor the focus move. */
export function select(row, { quietly = false } = {}) {
  if (!quietly && !maySelect(row)) return
  const before = selected()
  if (before && before !== row) expand(before, false)
  selectedId = row?.id ?? null
  if (row) expand(row, true)
  for (const callback of selectListeners) callback(row, quietly)
  if (!row || quietly) return
  row.querySelector(".pick").focus({ preventScroll: true })
  row.scrollIntoView({ block: "nearest" })
}

/** Selects the next (1) or the previous (-1) visible row. */
export function move(by) {
  const visible = visibleRows()
  if (visible.length === 0) return
  const index = visible.indexOf(selected())
  const next = index < 0 ? (by > 0 ? 0 : visible.length - 1) : index + by
  if (visible[next]) select(visible[next])
}

/** Holds updates back while a field is being edited. The last one is shown when they are no longer held. */
export function holdUpdates(hold) {
  isHeld = hold
  showWaiting()
}

function showWaiting() {
  if (waitingPart && !isHeld && !isPressed) update(waitingPart)
}

/** Holds updates back while a button is pressed: a click on a row that is replaced meanwhile would be lost. */
function setPressed(isDown) {
  isPressed = isDown
  // The click follows the release.
  if (!isDown) setTimeout(showWaiting)
}

document.getElementById("review-form").addEventListener("pointerdown", () => setPressed(true))
for (const type of ["pointerup", "pointercancel"]) window.addEventListener(type, () => setPressed(false))

function update(part) {
  waitingPart = null
  const focused = document.activeElement?.closest?.(".field")?.id
  head().replaceWith(part.querySelector("#form-head"))
  document.getElementById("form-body").replaceWith(part.querySelector("#form-body"))
  for (const callback of updateListeners) callback()
  const row = selected()
  if (row) select(row, { quietly: true })
  else if (selectedId) select(null, { quietly: true })
  if (focused) document.getElementById(focused)?.querySelector(".pick").focus({ preventScroll: true })
}

/** The number of refreshes so far. */
export const refreshCount = () => requested

/** Whether a refresh that began later than that number has finished. */
export const wasRefreshedAfter = (number) => received > number

/** Loads the form again, because of what this person did or, in the background, because of an event. Returns whether a newer version is held back. Of overlapping refreshes the last one counts. */
export async function refresh({ isBackground = false } = {}) {
  requested += 1
  const number = requested
  const part = parseHtml(await requestPart(`/app/documents/${documentId}/work${location.search}`, { isBackground }))
  const newHead = part.querySelector("#form-head").dataset
  if (number < received) return false
  received = number
  if (newHead.kind !== head().dataset.kind) return location.reload()
  if (!isHeld) {
    waitingPart = part
    return showWaiting()
  }
  const isNewer = Number(newHead.version) !== version() || newHead.run !== run()
  if (isNewer) waitingPart = part
  return isNewer
}
