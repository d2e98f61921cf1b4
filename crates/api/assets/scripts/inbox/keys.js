// The keys of the inbox.

import { page } from "../page.js"
import { clearSelection, select, selectAll, selectTo } from "./select.js"

const shortcuts = document.getElementById("shortcuts")
const rows = () => [...document.getElementById("rows").rows]
const current = () => document.activeElement?.closest("#rows tr")

function move(by, isRange) {
  const all = rows()
  const from = current()
  const at = all.indexOf(from)
  const row = at < 0 ? all[by > 0 ? 0 : all.length - 1] : all[at + by]
  if (!row) return
  if (isRange && from) {
    if (!from.classList.contains("selected")) select(from, true)
    selectTo(row)
  }
  row.querySelector("a.name").focus()
  row.scrollIntoView({ block: "nearest" })
}

function press(id) {
  document.getElementById(id)?.click()
}

const KEYS = {
  ArrowDown: ({ shiftKey }) => move(1, shiftKey),
  ArrowUp: ({ shiftKey }) => move(-1, shiftKey),
  j: () => move(1), k: () => move(-1),
  J: () => move(1, true), K: () => move(-1, true),
  "/": () => document.getElementById("q").focus(),
  "?": () => shortcuts.showModal(),
}
const KEYS_TO_OPERATE = {
  x: () => current() && select(current()),
  a: () => selectAll(),
  r: () => press("reprocess-selected"),
  u: () => press("choose-files"),
  Escape: () => clearSelection(),
}

function isBusy({ target }) {
  const writes = target.closest("input:not([type=checkbox]), select, textarea")
  return writes || document.querySelector("dialog[open]")
}

document.addEventListener("keydown", (key) => {
  if (key.target.id === "q" && key.key === "Escape") return key.target.blur()
  if (key.target.id === "q" && key.key === "ArrowDown") { key.preventDefault(); return move(1) }
  if (key.ctrlKey || key.metaKey || key.altKey || isBusy(key)) return
  const act = KEYS[key.key] ?? (page.may.operate ? KEYS_TO_OPERATE[key.key] : undefined)
  if (!act) return
  key.preventDefault()
  act(key)
})

document.getElementById("show-shortcuts").addEventListener("click", () => shortcuts.showModal())
shortcuts.querySelector("[data-close]").addEventListener("click", () => shortcuts.close())
