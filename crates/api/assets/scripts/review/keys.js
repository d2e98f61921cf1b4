// Everything by keyboard. Shortcuts of a single key can be switched off in the help.

import { erase, reset, take } from "./actions.js"
import { addField, newVisit } from "./add.js"
import { isAnyOpen, show } from "./dialogs.js"
import { edit } from "./edit.js"
import { history } from "./history.js"
import { mayEdit, move, select, selected } from "./panel.js"
import { goToPage, pageNumber, setZoom, sheets, zoomBy } from "./sheets.js"

const STORED = "quire.review.single_keys"
const isOn = () => localStorage.getItem(STORED) !== "off"

export const help = () => show(document.getElementById("help-dialog"))
const focus = (id) => document.getElementById(id)?.focus()
const press = (id) => document.getElementById(id)?.click()

const SINGLE = {
  j: () => move(1),
  k: () => move(-1),
  e: () => selected() && edit(selected()),
  r: () => reset(selected()),
  a: () => addField(selected()?.dataset.visit || undefined),
  v: newVisit,
  m: () => press("mark"),
  n: () => press("next"),
  h: () => history(selected()),
  f: () => focus("find-text"),
  "/": () => focus("filter"),
  "?": help,
  "+": () => zoomBy(1),
  "-": () => zoomBy(-1),
  0: () => setZoom(100),
}

const OTHER = {
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  Delete: () => erase(selected()),
  PageDown: () => goToPage(pageNumber() + 1),
  PageUp: () => goToPage(pageNumber() - 1),
  Escape: () => select(null),
}

/** Whether the key means something to the element that has the focus. */
function isTaken(key, target) {
  if (target.closest("input, textarea, select")) return true
  const isScroll = key.startsWith("Arrow") && target.closest("#sheets, [data-content]")
  return isScroll !== null && isScroll !== false ? true : key.startsWith("Page") && target.closest("#scroller") !== null
}

function actionOf(key) {
  if (OTHER[key]) return OTHER[key]
  if (!isOn()) return null
  if (/^[1-5]$/.test(key)) return mayEdit ? () => take(selected(), key) : null
  return SINGLE[key.toLowerCase()] ?? null
}

export function startKeys() {
  const box = document.getElementById("single-keys")
  box.checked = isOn()
  box.addEventListener("change", () => localStorage.setItem(STORED, box.checked ? "on" : "off"))
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isAnyOpen()) return
    if (isTaken(event.key, event.target)) return
    if (sheets.length === 0 && /^(Page|\+|-|0)/.test(event.key)) return
    const action = actionOf(event.key)
    if (!action) return
    event.preventDefault()
    action()
  })
}
