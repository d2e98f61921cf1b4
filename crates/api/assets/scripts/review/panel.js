// The panel: its rows, which of them is selected, and how it is renewed.

import { askPart } from "../ask.js"
import { made, page } from "../page.js"

export const documentId = document.getElementById("review").dataset.document
export const mayEdit = page.may.review

const put = new Set()
const picked = new Set()
let selectedId = null
let held = false
let waiting = null
let isFree = () => true
let begun = 0
let come = 0

const head = () => document.getElementById("panel-head")

export const isReview = () => head().dataset.kind === "review"
export const isReviewed = () => head().dataset.reviewed === "true"
export const version = () => Number(head().dataset.version)
export const run = () => head().dataset.run

/** Calls back whenever the panel was put in place. */
export const onPanel = (callback) => put.add(callback)
/** Calls back with the row that was selected, or with nothing. */
export const onSelect = (callback) => picked.add(callback)

export const rows = () => [...document.querySelectorAll("#panel-body .field")]
export const shownRows = () => rows().filter((row) => row.offsetParent !== null)
export const selected = () => (selectedId ? document.getElementById(selectedId) : null)
export const valueOf = (row) => JSON.parse(row.dataset.value)
export const rowOf = (fieldId) => document.getElementById(`f-${fieldId}`)

/** The name of a row, with its visit where that is needed to know which it is. */
export function nameOf(row) {
  const around = row.closest(".visit")?.querySelector("h3") ?? row.closest(".section")?.querySelector("h2")
  return around ? `${row.dataset.title} · ${around.textContent}` : row.dataset.title
}

/** Asks before another row is selected; whoever says no selects it later. */
export function guard(callback) {
  isFree = callback
}

function open(row, isOpen) {
  row.classList.toggle("selected", isOpen)
  row.querySelector(".pick").setAttribute("aria-expanded", String(isOpen))
  row.querySelector(".detail").hidden = !isOpen
}

/** Selects a row, or nothing. `quietly` moves neither the pages nor the focus. */
export function select(row, { quietly = false } = {}) {
  if (!quietly && !isFree(row)) return
  const before = selected()
  if (before && before !== row) open(before, false)
  selectedId = row?.id ?? null
  if (row) open(row, true)
  for (const callback of picked) callback(row, quietly)
  if (!row || quietly) return
  row.querySelector(".pick").focus({ preventScroll: true })
  row.scrollIntoView({ block: "nearest" })
}

/** Selects the next row that is shown, or the one before. */
export function move(by) {
  const shown = shownRows()
  if (shown.length === 0) return
  const place = shown.indexOf(selected())
  const next = place < 0 ? (by > 0 ? 0 : shown.length - 1) : place + by
  if (shown[next]) select(shown[next])
}

/** While something is being edited the panel stays as it is. What comes meanwhile is put in place afterwards. */
export function hold(isHeld) {
  held = isHeld
  if (!held && waiting) putInPlace(waiting)
}

/** Whether what waits is of another run than that one. */
export const otherRunWaits = (run) => waiting !== null && waiting.querySelector("#panel-head").dataset.run !== run

function putInPlace(part) {
  waiting = null
  const focused = document.activeElement?.closest?.(".field")?.id
  head().replaceWith(part.querySelector("#panel-head"))
  document.getElementById("panel-body").replaceWith(part.querySelector("#panel-body"))
  for (const callback of put) callback()
  const row = selected()
  if (row) select(row, { quietly: true })
  else if (selectedId) select(null, { quietly: true })
  if (focused) document.getElementById(focused)?.querySelector(".pick").focus({ preventScroll: true })
}

/** How often the panel was asked for. */
export const asked = () => begun

/** Whether what was asked for after so many times has come. */
export const hasComeAfter = (number) => come > number

/** Asks for the panel anew. Tells whether something newer is there that has to wait. What was asked for last is what stays. */
export async function refresh() {
  begun += 1
  const number = begun
  const part = made(await askPart(`/app/documents/${documentId}/work${location.search}`))
  const fresh = part.querySelector("#panel-head").dataset
  if (number < come) return false
  come = number
  if (fresh.kind !== head().dataset.kind) return location.reload()
  if (!held) return putInPlace(part)
  const isNewer = Number(fresh.version) !== version() || fresh.run !== run()
  if (isNewer) waiting = part
  return isNewer
}
