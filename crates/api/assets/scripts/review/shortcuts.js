// Keyboard shortcuts of the review page. Single-key shortcuts can be switched off in the help.

import { deleteField, resetField, useCandidate } from "./actions.js"
import { addField, addVisit } from "./add.js"
import { isAnyOpen, show } from "./dialogs.js"
import { edit } from "./editor.js"
import { toggleHidden } from "./hide.js"
import { showHistory } from "./history.js"
import { moveToHit } from "./hits.js"
import { goToPage, pageNumber, pages, setZoom, zoomBy } from "./pages.js"
import { mayEdit, move, select, selected } from "./form.js"

const STORAGE_KEY = "quire.review.single_keys"
const areSingleKeysOn = () => localStorage.getItem(STORAGE_KEY) !== "off"

export const showHelp = () => show(document.getElementById("help-dialog"))
const focus = (id) => document.getElementById(id)?.focus()
const click = (id) => document.getElementById(id)?.click()

const SINGLE_KEYS = {
  j: () => move(1),
  k: () => move(-1),
  e: () => selected() && edit(selected()),
  r: () => resetField(selected()),
  a: () => addField(selected()?.dataset.visit || undefined),
  v: addVisit,
  m: () => click("mark"),
  n: () => click("next"),
  h: () => showHistory(selected()),
  x: toggleHidden,
  f: () => focus("find-text"),
  g: () => moveToHit(1),
  "/": () => focus("filter"),
  "?": showHelp,
  "+": () => zoomBy(1),
  "-": () => zoomBy(-1),
  0: () => setZoom(100),
}

const OTHER_KEYS = {
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  Delete: () => deleteField(selected()),
  PageDown: () => goToPage(pageNumber() + 1),
  PageUp: () => goToPage(pageNumber() - 1),
  Escape: () => select(null),
}

/** Whether the focused element uses the key itself. */
function isUsedByTarget(key, target) {
  if (target.closest("input, textarea, select")) return true
  if (key.startsWith("Arrow") && target.closest("#pages, [data-content]")) return true
  return key.startsWith("Page") && target.closest("#scroller") !== null
}

function actionOf(key) {
  if (OTHER_KEYS[key]) return OTHER_KEYS[key]
  if (!areSingleKeysOn()) return null
  if (/^[1-5]$/.test(key)) return mayEdit ? () => useCandidate(selected(), key) : null
  return SINGLE_KEYS[key.toLowerCase()] ?? null
}

export function startShortcuts() {
  const box = document.getElementById("single-keys")
  box.checked = areSingleKeysOn()
  box.addEventListener("change", () => localStorage.setItem(STORAGE_KEY, box.checked ? "on" : "off"))
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isAnyOpen()) return
    if (isUsedByTarget(event.key, event.target)) return
    if (pages.length === 0 && /^(Page|\+|-|0)/.test(event.key)) return
    const action = actionOf(event.key)
    if (!action) return
    event.preventDefault()
    action()
  })
}
