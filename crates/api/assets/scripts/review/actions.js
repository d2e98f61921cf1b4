// What can be done with the selected field.

import { addField } from "./add.js"
import { edit, isEditing, leave } from "./edit.js"
import { history } from "./history.js"
import { mayEdit, onPanel, onSelect, select, selected, shownRows } from "./panel.js"
import { attempt } from "./save.js"
import { hint } from "./sheets.js"
import { assign, give, remove } from "./wish.js"

const isIdle = () => mayEdit && !isEditing()

export function take(row, number) {
  const candidate = row?.querySelector(`.candidate[data-number="${number}"]`)
  if (!candidate || !isIdle()) return
  hint(null)
  attempt([give(row, JSON.parse(candidate.dataset.value))])
}

export function reset(row) {
  if (row?.dataset.detected && isIdle()) attempt([give(row, JSON.parse(row.dataset.detected))])
}

export function erase(row) {
  if (!row?.dataset.field || !isIdle()) return
  const place = shownRows().indexOf(row)
  attempt([remove(row)], () => {
    const shown = shownRows()
    const next = shown[Math.min(place, shown.length - 1)]
    if (next) select(next)
  })
}

function actionsOf(row) {
  const actions = document.getElementById("actions").content.cloneNode(true)
  const { field, detected, repeatable, about } = row.dataset
  const offered = {
    edit: mayEdit,
    reset: mayEdit && detected !== undefined,
    more: mayEdit && repeatable !== undefined && field !== "",
    delete: mayEdit && field !== "",
    history: field !== "",
    move: mayEdit && field !== "" && about === undefined && row.closest(".visit") !== null,
  }
  for (const element of actions.querySelectorAll("[data-do]")) element.hidden = !offered[element.dataset.do]
  const visits = actions.querySelector("select")
  visits.append(document.getElementById("visit-options").content.cloneNode(true))
  visits.value = row.dataset.visit
  const assignIt = () => attempt([assign(row, visits.value || null)])
  visits.addEventListener("change", () => leave(assignIt) && assignIt())
  return actions
}

function onClick(event) {
  const row = event.target.closest(".field")
  if (!row) return
  const candidate = event.target.closest(".candidate")
  const action = event.target.closest("button[data-do]")?.dataset.do
  if (event.target.closest(".pick")) {
    if (selected() === row) edit(row)
    else select(row)
  } else if (candidate) take(row, candidate.dataset.number)
  else if (action === "edit") edit(row)
  else if (action === "reset") reset(row)
  else if (action === "more") addField(row.dataset.visit, row.dataset.key)
  else if (action === "delete") erase(row)
  else if (action === "history") history(row)
}

export function startActions() {
  const scroller = document.getElementById("scroller")
  scroller.addEventListener("click", onClick)
  onSelect((row) => row?.querySelector("[data-actions]").replaceChildren(actionsOf(row)))
  onPanel(() => hint(null))
  // How sure a value is stands in the row already: the dot shows it to whoever points at it.
  scroller.addEventListener("pointerover", ({ target }) => {
    const sure = target.classList.contains("dot") ? target.closest(".field").querySelector(".sure") : null
    if (sure) target.title = sure.textContent.replaceAll(" · ", "\n")
  })
  for (const [begin, stop] of [["pointerover", "pointerout"], ["focusin", "focusout"]]) {
    scroller.addEventListener(begin, (event) => {
      const candidate = event.target.closest(".candidate")
      if (candidate) hint(candidate)
    })
    scroller.addEventListener(stop, (event) => event.target.closest(".candidate") && hint(null))
  }
}

