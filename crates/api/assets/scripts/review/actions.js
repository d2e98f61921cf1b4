// The actions on the selected field.

import { addField } from "./add.js"
import { deleteChange, moveChange, setChange } from "./change.js"
import { edit, isEditing, leave } from "./editor.js"
import { showHistory } from "./history.js"
import { highlightCandidate } from "./pages.js"
import { mayEdit, onFormUpdate, onSelect, select, selected, visibleRows } from "./form.js"
import { deleteOrToast, saveOrToast } from "./save.js"

const mayChange = () => mayEdit && !isEditing()

export function useCandidate(row, number) {
  const candidate = row?.querySelector(`.candidate[data-number="${number}"]`)
  if (!candidate || !mayChange()) return
  highlightCandidate(null)
  saveOrToast([setChange(row, JSON.parse(candidate.dataset.value))])
}

export function resetField(row) {
  if (row?.dataset.detected && mayChange()) saveOrToast([setChange(row, JSON.parse(row.dataset.detected))])
}

export function deleteField(row) {
  if (!row?.dataset.field || !mayChange()) return
  const index = visibleRows().indexOf(row)
  deleteOrToast(deleteChange(row), () => {
    const rows = visibleRows()
    const next = rows[Math.min(index, rows.length - 1)]
    if (next) select(next)
  })
}

/** The buttons of a row; those that do not apply are hidden. */
function actionButtons(row) {
  const actions = document.getElementById("actions").content.cloneNode(true)
  const { field, detected, repeatable, visitMetadata } = row.dataset
  const isOffered = {
    edit: mayEdit,
    reset: mayEdit && detected !== undefined,
    more: mayEdit && repeatable !== undefined && field !== "",
    delete: mayEdit && field !== "",
    history: field !== "",
    move: mayEdit && field !== "" && visitMetadata === undefined && row.closest(".visit") !== null,
  }
  for (const element of actions.querySelectorAll("[data-action]")) element.hidden = !isOffered[element.dataset.action]
  const visits = actions.querySelector("select")
  visits.append(document.getElementById("visit-options").content.cloneNode(true))
  visits.value = row.dataset.visit
  const move = () => saveOrToast([moveChange(row, visits.value || null)])
  visits.addEventListener("change", () => leave(move) && move())
  return actions
}

function onClick(event) {
  const row = event.target.closest(".field")
  if (!row) return
  const candidate = event.target.closest(".candidate")
  const action = event.target.closest("button[data-action]")?.dataset.action
  if (event.target.closest(".pick")) {
    if (selected() === row) edit(row)
    else select(row)
  } else if (candidate) useCandidate(row, candidate.dataset.number)
  else if (action === "edit") edit(row)
  else if (action === "reset") resetField(row)
  else if (action === "more") addField(row.dataset.visit, row.dataset.key)
  else if (action === "delete") deleteField(row)
  else if (action === "history") showHistory(row)
}

export function startActions() {
  const scroller = document.getElementById("scroller")
  scroller.addEventListener("click", onClick)
  onSelect((row) => row?.querySelector("[data-actions]").replaceChildren(actionButtons(row)))
  onFormUpdate(() => highlightCandidate(null))
  // The tooltip of the dot repeats the confidence from the row's details.
  scroller.addEventListener("pointerover", ({ target }) => {
    const confidence = target.classList.contains("dot") ? target.closest(".field").querySelector(".confidence") : null
    if (confidence) target.title = confidence.textContent.replaceAll(" · ", "\n")
  })
  for (const [begin, end] of [["pointerover", "pointerout"], ["focusin", "focusout"]]) {
    scroller.addEventListener(begin, (event) => {
      const candidate = event.target.closest(".candidate")
      if (candidate) highlightCandidate(candidate)
    })
    scroller.addEventListener(end, (event) => event.target.closest(".candidate") && highlightCandidate(null))
  }
}
