// Adding fields and visits, and taking visits away.

import { t } from "../page.js"
import { question, show } from "./dialogs.js"
import { leave } from "./edit.js"
import { inputFor } from "./input.js"
import { mayEdit, rows, select, selected, valueOf } from "./panel.js"
import { attempt, save } from "./save.js"
import { add, addVisit, isSame, removeVisit } from "./wish.js"

const OTHER = "+"
const fieldDialog = document.getElementById("add-dialog")
const visitDialog = document.getElementById("visit-dialog")

/** The name of a key from what somebody calls it. */
function keyOf(name) {
  const plain = name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()
  return plain.replace(/[^a-z0-9]+/g, "_").replace(/^[_0-9]+|_+$/g, "").slice(0, 64)
}

/** Sends what a dialog holds; it stays open until that is saved. */
function onSubmit(dialog, wishOf, then) {
  const said = dialog.querySelector("[data-said]")
  dialog.querySelector("form").onsubmit = async (event) => {
    event.preventDefault()
    said.textContent = ""
    const freeze = (isFrozen) => {
      for (const button of dialog.querySelectorAll("button")) button.disabled = isFrozen
      if (isFrozen) dialog.dataset.isBusy = "yes"
      else delete dialog.dataset.isBusy
    }
    freeze(true)
    try {
      const wish = wishOf()
      await save([wish], {
        then: () => {
          dialog.close()
          then(wish)
        },
      })
    } catch (wrong) {
      said.textContent = wrong.message
    } finally {
      freeze(false)
    }
  }
}

function fieldWish(form, input) {
  const option = form.elements.key.selectedOptions[0]
  const isOther = option.value === OTHER
  const key = isOther ? keyOf(form.elements.other.value) : option.value
  if (key === "") throw new Error(t("review.name_missing"))
  const mine = input().read()
  if (mine === null) throw new Error(t("review.value_missing"))
  const visit = form.elements.visit.closest("[data-visit]").hidden ? null : form.elements.visit.value || null
  const type = isOther ? "string" : option.dataset.type
  return add({ key, visit, type, title: option.textContent, isRepeatable: true }, mine)
}

/** Asks for a new field, of that visit and key if they are given. */
export function addField(visit, key) {
  if (!mayEdit) return
  if (!leave(() => addField(visit, key))) return
  const form = fieldDialog.querySelector("form")
  const keys = form.elements.key
  keys.replaceChildren(document.getElementById("key-options").content.cloneNode(true))
  keys.append(new Option(t("review.other_field"), OTHER))
  form.elements.visit.replaceChildren(new Option(t("review.unassigned"), ""), document.getElementById("visit-options").content.cloneNode(true))
  const ofVisit = [...keys.options].find((option) => option.dataset.ofVisit === "true")
  keys.value = key ?? (visit === undefined ? keys.options[0].value : ofVisit?.value)
  form.elements.visit.value = visit ?? ""
  form.elements.other.value = ""
  let input
  const adapt = () => {
    const option = keys.selectedOptions[0]
    form.querySelector("[data-other]").hidden = option.value !== OTHER
    form.querySelector("[data-visit]").hidden = option.dataset.ofVisit !== "true"
    input = inputFor(option.dataset.type ?? "string", null, t("review.value"))
    form.querySelector("[data-input]").replaceChildren(input.element)
  }
  keys.onchange = adapt
  adapt()
  form.querySelector("[data-said]").textContent = ""
  onSubmit(fieldDialog, () => fieldWish(form, () => input), (wish) => {
    const isIt = (row) => row.dataset.key === wish.key && isSame(valueOf(row), wish.mine) && !wish.known.has(row.dataset.field)
    const row = rows().find(isIt)
    if (row) select(row)
  })
  show(fieldDialog)
  if (key) input.element.focus()
}

export function newVisit() {
  if (!document.getElementById("add-visit")) return
  if (!leave(newVisit)) return
  const form = visitDialog.querySelector("form")
  form.reset()
  form.querySelector("[data-said]").textContent = ""
  onSubmit(visitDialog, () => {
    const names = ["visit_date", "reason_for_visit"]
    const told = names.map((name) => [name, form.elements[name].value.trim()]).filter(([, value]) => value !== "")
    if (told.length === 0) throw new Error(t("review.visit_missing"))
    return addVisit(Object.fromEntries(told), t("review.add_visit"))
  }, (wish) => {
    const row = rows().find((one) => one.dataset.visit === wish.visit)
    if (row) select(row)
  })
  show(visitDialog)
}

async function deleteVisit(visit, title) {
  const choices = [
    { name: "keep", label: t("review.cancel") },
    { name: "delete", label: t("review.delete_visit"), tone: "danger" },
  ]
  const answer = await question(`${t("review.delete_visit")}: ${title}`, t("review.delete_visit_text"), choices)
  if (answer !== "delete") return
  attempt([removeVisit(visit, title)])
}

export function startAdding() {
  document.getElementById("panel").addEventListener("click", (event) => {
    const button = event.target.closest("button")
    if (!button) return
    const { addTo, deleteVisit: visit } = button.dataset
    if (button.id === "add") addField(selected()?.dataset.visit || undefined)
    if (button.id === "add-visit") newVisit()
    if (addTo !== undefined) addField(addTo)
    const title = () => button.closest(".visit").querySelector("h3").textContent
    const go = () => deleteVisit(visit, title())
    if (visit !== undefined && leave(go)) go()
  })
}
