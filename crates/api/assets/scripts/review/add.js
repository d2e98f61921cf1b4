// Adding fields and visits, and deleting visits.

import { t } from "../page.js"
import { addEntered, addVisitChange, deleteVisitChange, rowOfChange } from "./change.js"
import { ask, show } from "./dialogs.js"
import { leave } from "./editor.js"
import { columnsOf, inputFor } from "./input.js"
import { mayEdit, rows, select, selected } from "./form.js"
import { deleteOrToast, save } from "./save.js"

const OTHER_KEY = "+"
const fieldDialog = document.getElementById("add-dialog")
const visitDialog = document.getElementById("visit-dialog")

/** Turns a name that a person typed into a key. */
function keyOf(name) {
  const ascii = name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()
  return ascii.replace(/[^a-z0-9]+/g, "_").replace(/^[_0-9]+|_+$/g, "").slice(0, 64)
}

/** Saves the change of a dialog on submit. The dialog stays open until it is saved; then the new row is selected. */
function onSubmit(dialog, changeOf) {
  const message = dialog.querySelector("[data-message]")
  dialog.querySelector("form").onsubmit = async (event) => {
    event.preventDefault()
    message.textContent = ""
    const setBusy = (isBusy) => {
      for (const button of dialog.querySelectorAll("button")) button.disabled = isBusy
      if (isBusy) dialog.dataset.isBusy = "yes"
      else delete dialog.dataset.isBusy
    }
    setBusy(true)
    try {
      await save([changeOf()], {
        onSaved: ([change]) => {
          dialog.close()
          const row = rowOfChange(change, rows())
          if (row) select(row)
        },
      })
    } catch (error) {
      message.textContent = error.message
    } finally {
      setBusy(false)
    }
  }
}

function fieldChange(form, input) {
  const option = form.elements.key.selectedOptions[0]
  const isOther = option.value === OTHER_KEY
  const key = isOther ? keyOf(form.elements.other.value) : option.value
  if (key === "") throw new Error(t("review.name_missing"))
  const entered = input().read()
  if (entered === null) throw new Error(t("review.value_missing"))
  const visit = form.elements.visit.closest("[data-visit]").hidden ? null : form.elements.visit.value || null
  return addEntered({ key, visit, title: option.textContent }, entered)
}

/** Opens the dialog for a new field, with that visit and key chosen if they are given. */
export function addField(visit, key) {
  if (!mayEdit) return
  if (!leave(() => addField(visit, key))) return
  const form = fieldDialog.querySelector("form")
  const keys = form.elements.key
  keys.replaceChildren(document.getElementById("key-options").content.cloneNode(true))
  keys.append(new Option(t("review.other_field"), OTHER_KEY))
  form.elements.visit.replaceChildren(new Option(t("review.unassigned"), ""), document.getElementById("visit-options").content.cloneNode(true))
  const visitKey = [...keys.options].find((option) => option.dataset.perVisit === "true")
  keys.value = key ?? (visit === undefined ? keys.options[0].value : visitKey?.value)
  form.elements.visit.value = visit ?? ""
  form.elements.other.value = ""
  let input
  const showInputs = () => {
    const option = keys.selectedOptions[0]
    form.querySelector("[data-other]").hidden = option.value !== OTHER_KEY
    form.querySelector("[data-visit]").hidden = option.dataset.perVisit !== "true"
    input = inputFor(option.dataset.type ?? "string", null, t("review.value"), columnsOf(option))
    form.querySelector("[data-input]").replaceChildren(input.element)
  }
  keys.onchange = showInputs
  showInputs()
  form.querySelector("[data-message]").textContent = ""
  onSubmit(fieldDialog, () => fieldChange(form, () => input))
  show(fieldDialog)
  if (key) input.element.focus()
}

export function addVisit() {
  if (!document.getElementById("add-visit")) return
  if (!leave(addVisit)) return
  const form = visitDialog.querySelector("form")
  form.reset()
  form.querySelector("[data-message]").textContent = ""
  onSubmit(visitDialog, () => {
    const names = ["visit_date", "reason_for_visit"]
    const metadata = names.map((name) => [name, form.elements[name].value.trim()]).filter(([, value]) => value !== "")
    if (metadata.length === 0) throw new Error(t("review.visit_missing"))
    return addVisitChange(Object.fromEntries(metadata), t("review.add_visit"))
  })
  show(visitDialog)
}

async function deleteVisit(visit, title) {
  const choices = [
    { name: "keep", label: t("review.cancel") },
    { name: "delete", label: t("review.delete_visit"), tone: "danger" },
  ]
  const choice = await ask(`${t("review.delete_visit")}: ${title}`, t("review.delete_visit_text"), choices)
  if (choice === "delete") deleteOrToast(deleteVisitChange(visit, title))
}

export function startAdding() {
  document.getElementById("review-form").addEventListener("click", (event) => {
    const button = event.target.closest("button")
    if (!button) return
    const { addTo, deleteVisit: visit } = button.dataset
    if (button.id === "add") addField(selected()?.dataset.visit || undefined)
    if (button.id === "add-visit") addVisit()
    if (addTo !== undefined) addField(addTo)
    const title = () => button.closest(".visit").querySelector("h3").textContent
    const confirmDelete = () => deleteVisit(visit, title())
    if (visit !== undefined && leave(confirmDelete)) confirmDelete()
  })
}
