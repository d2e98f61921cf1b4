// Keyboard shortcuts of the inbox.

import { page } from "../page.js"
import { clearSelection, select, selectAll, selectTo } from "./selection.js"

const dialog = document.getElementById("shortcuts")
const rows = () => [...document.getElementById("rows").rows]
const focusedRow = () => document.activeElement?.closest("#rows tr")

function move(by, isRange) {
  const all = rows()
  const from = focusedRow()
  const index = all.indexOf(from)
  const row = index < 0 ? all[by > 0 ? 0 : all.length - 1] : all[index + by]
  if (!row) return
  if (isRange && from) {
    if (!from.classList.contains("selected")) select(from, true)
    selectTo(row)
  }
  row.querySelector("a.name").focus()
  row.scrollIntoView({ block: "nearest" })
}

function click(id) {
  document.getElementById(id)?.click()
}

const SHORTCUTS = {
  ArrowDown: ({ shiftKey }) => move(1, shiftKey),
  ArrowUp: ({ shiftKey }) => move(-1, shiftKey),
  j: () => move(1), k: () => move(-1),
  J: () => move(1, true), K: () => move(-1, true),
  "/": () => document.getElementById("q").focus(),
  "?": () => dialog.showModal(),
}
const OPERATOR_SHORTCUTS = {
  x: () => focusedRow() && select(focusedRow()),
  a: () => selectAll(),
  r: () => click("reprocess-selected"),
  u: () => click("choose-files"),
  Escape: () => clearSelection(),
}

/** Whether the key belongs to a form control or a dialog. */
function isUsedElsewhere({ target }) {
  return target.closest("input:not([type=checkbox]), select, textarea") || document.querySelector("dialog[open]")
}

document.addEventListener("keydown", (event) => {
  if (event.target.id === "q" && event.key === "Escape") return event.target.blur()
  if (event.target.id === "q" && event.key === "ArrowDown") { event.preventDefault(); return move(1) }
  if (event.ctrlKey || event.metaKey || event.altKey || isUsedElsewhere(event)) return
  const action = SHORTCUTS[event.key] ?? (page.may.operate ? OPERATOR_SHORTCUTS[event.key] : undefined)
  if (!action) return
  event.preventDefault()
  action(event)
})

document.getElementById("show-shortcuts").addEventListener("click", () => dialog.showModal())
dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close())
