// The conflict dialog: shows the old value, mine and theirs for each field, and asks which one to keep. The server has worked
// out what is in conflict.

import { count, page, t } from "../page.js"
import { show } from "./dialogs.js"

const dialog = document.getElementById("conflict-dialog")

function valueText(value, isDeleted) {
  if (isDeleted) return t("review.deleted_value")
  if (Array.isArray(value)) return value.map((row) => Object.values(row).join(", ")).join("; ")
  return value === null || value === "" ? t("review.no_value") : String(value)
}

/** Who changed the field. Names mean nothing as long as nobody logs in. */
function heading({ changed_by: name }) {
  if (name === null) return t("review.conflict_run")
  return page.csrf ? t("review.conflict_by", name) : t("review.conflict")
}

function textCell(text) {
  const cell = document.createElement("td")
  cell.textContent = text
  return cell
}

function radioCell(name, value, text, isChecked) {
  const cell = document.createElement("td")
  const label = document.createElement("label")
  const radio = Object.assign(document.createElement("input"), { type: "radio", name, value, defaultChecked: isChecked })
  const span = document.createElement("span")
  span.textContent = text
  label.append(radio, span)
  cell.append(label)
  return cell
}

function tableRow({ title, conflict, isDeletion }) {
  const row = document.createElement("tr")
  const header = document.createElement("th")
  header.scope = "row"
  header.textContent = title
  const name = `conflict-${conflict.index}`
  const mine = radioCell(name, "mine", valueText(conflict.requested, isDeletion), true)
  const theirs = radioCell(name, "theirs", valueText(conflict.theirs, conflict.theirs_deleted), false)
  row.append(header, textCell(valueText(conflict.was)), mine, theirs)
  return row
}

/** Asks which values to keep. Returns the conflicts in which it is the person's own, or null if they go back to the editor. */
export function askAboutConflicts(changes, report) {
  const conflicts = report.conflicts.filter(({ status }) => status === "CONFLICT")
  const rows = conflicts.map((conflict) => {
    const { title, body } = changes[conflict.index]
    return tableRow({ title, conflict, isDeletion: body.op === "DELETE" })
  })
  dialog.querySelector("h2").textContent = heading(report)
  dialog.querySelector("tbody").replaceChildren(...rows)
  const number = report.other_changes
  dialog.querySelector("[data-others]").textContent = number > 0 ? count("review.other_changes", number) : ""
  const form = dialog.querySelector("form")
  return new Promise((resolve) => {
    let kept = null
    form.onsubmit = () => {
      const choices = new FormData(form)
      kept = conflicts.filter(({ index }) => choices.get(`conflict-${index}`) === "mine")
    }
    dialog.addEventListener("close", () => resolve(kept), { once: true })
    show(dialog)
    dialog.querySelector("input").focus()
  })
}
