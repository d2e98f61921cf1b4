// Which documents are selected: by their boxes, by keys, several at once.

import { count, page } from "../page.js"

const selected = new Set()
const bar = document.getElementById("selection")
const all = document.getElementById("select-all")
const table = document.getElementById("documents")
let last = null

const shown = () => [...document.getElementById("rows").rows]
const box = (row) => row.querySelector(".pick input")

/** The ids of the selected. */
export function selection() {
  return [...selected]
}

export function clearSelection() {
  selected.clear()
  for (const row of shown()) mark(row)
  showSelected()
}

/** Selects or deselects the row of a document. */
export function select(row, isSelected = !selected.has(row.dataset.id)) {
  if (!page.may.operate) return
  if (isSelected) selected.add(row.dataset.id)
  else selected.delete(row.dataset.id)
  last = row.dataset.id
  mark(row)
  showSelected()
}

/** Selects from the row that was selected last up to this one. */
export function selectTo(row) {
  const rows = shown()
  const from = rows.findIndex((other) => other.dataset.id === last)
  const to = rows.indexOf(row)
  const several = from < 0 ? [row] : rows.slice(Math.min(from, to), Math.max(from, to) + 1)
  for (const one of several) select(one, true)
}

export function selectAll(isSelected = true) {
  for (const row of shown()) select(row, isSelected)
}

/** A row that was made anew is selected if the one before it was. */
export function keepSelected(row) {
  if (selected.has(row.dataset.id)) mark(row)
}

function mark(row) {
  const isSelected = selected.has(row.dataset.id)
  if (box(row)) box(row).checked = isSelected
  row.classList.toggle("selected", isSelected)
}

/** Says how many there are. */
export function showSelected() {
  if (!bar) return
  bar.hidden = selected.size === 0
  document.getElementById("selected").textContent = count("inbox.selected", selected.size)
  const of = shown().filter((row) => selected.has(row.dataset.id)).length
  all.checked = of > 0 && of === shown().length
  all.indeterminate = of > 0 && of < shown().length
}

table.addEventListener("click", (click) => {
  const row = click.target.closest("tbody tr")
  if (!row || !click.target.matches(".pick input")) return
  if (click.shiftKey) selectTo(row)
  else select(row, click.target.checked)
})
all?.addEventListener("change", () => selectAll(all.checked))
document.getElementById("clear-selection")?.addEventListener("click", clearSelection)
