// The selected documents. They are selected by checkbox or key, one or several at a time.

import { count, page } from "../page.js"

const selected = new Set()
const bar = document.getElementById("selection")
const selectAllBox = document.getElementById("select-all")
const table = document.getElementById("documents")
let last = null

const allRows = () => [...document.getElementById("rows").rows]
const checkbox = (row) => row.querySelector(".pick input")

/** The ids of the selected documents. */
export function selection() {
  return [...selected]
}

export function clearSelection() {
  selected.clear()
  for (const row of allRows()) mark(row)
  showSelected()
}

/** Selects or deselects the document of a row; toggles it by default. */
export function select(row, isSelected = !selected.has(row.dataset.id)) {
  if (!page.may.operate) return
  if (isSelected) selected.add(row.dataset.id)
  else selected.delete(row.dataset.id)
  last = row.dataset.id
  mark(row)
  showSelected()
}

/** Selects all rows from the last selected one to this one. */
export function selectTo(row) {
  const rows = allRows()
  const from = rows.findIndex((other) => other.dataset.id === last)
  const to = rows.indexOf(row)
  const range = from < 0 ? [row] : rows.slice(Math.min(from, to), Math.max(from, to) + 1)
  for (const one of range) select(one, true)
}

export function selectAll(isSelected = true) {
  for (const row of allRows()) select(row, isSelected)
}

/** Marks a row that replaces another one as selected if its document is. */
export function keepSelected(row) {
  if (selected.has(row.dataset.id)) mark(row)
}

function mark(row) {
  const isSelected = selected.has(row.dataset.id)
  if (checkbox(row)) checkbox(row).checked = isSelected
  row.classList.toggle("selected", isSelected)
}

/** Shows how many documents are selected. */
export function showSelected() {
  if (!bar) return
  bar.hidden = selected.size === 0
  document.getElementById("selected").textContent = count("inbox.selected", selected.size)
  const marked = allRows().filter((row) => selected.has(row.dataset.id)).length
  selectAllBox.checked = marked > 0 && marked === allRows().length
  selectAllBox.indeterminate = marked > 0 && marked < allRows().length
}

table.addEventListener("click", (event) => {
  const row = event.target.closest("tbody tr")
  if (!row || !event.target.matches(".pick input")) return
  if (event.shiftKey) selectTo(row)
  else select(row, event.target.checked)
})
selectAllBox?.addEventListener("change", () => selectAll(selectAllBox.checked))
document.getElementById("clear-selection")?.addEventListener("click", clearSelection)
