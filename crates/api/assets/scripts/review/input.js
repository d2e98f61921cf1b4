// Inputs for values of each type. What a person types goes to the server as text: only the server decides what it means.

import { t } from "../page.js"

const LONG_TEXT = 70

function booleanSelect(value) {
  const select = document.createElement("select")
  for (const [written, label] of [["", t("review.no_value")], ["true", t("review.yes")], ["false", t("review.no")]]) {
    select.append(new Option(label, written, false, String(value ?? "") === written))
  }
  return select
}

function elementFor(type, value) {
  if (type === "boolean") return booleanSelect(value)
  const isLong = type === "string" && (String(value ?? "").length > LONG_TEXT || String(value ?? "").includes("\n"))
  const element = document.createElement(isLong ? "textarea" : "input")
  if (isLong) element.rows = Math.min(8, Math.ceil(String(value).length / 45) + 1)
  if (type === "date" && (value === null || /^\d{4}-\d{2}-\d{2}$/.test(value))) {
    element.type = "date"
    element.max = "9999-12-31"
  }
  if (type === "number") element.inputMode = "decimal"
  element.autocomplete = "off"
  element.value = value ?? ""
  return element
}

/** Creates an input for a value. `read` returns what was entered, as the members of a change: a text, or the value of a choice.
    It returns null if nothing was entered, and throws if a date is incomplete. */
export function inputFor(type, value, label) {
  const element = elementFor(type, value)
  element.setAttribute("aria-label", label)
  const before = element.value
  const read = () => {
    const text = element.value.trim()
    if (element.validity?.badInput) throw new Error(t("review.invalid_date"))
    if (text === "") return null
    return type === "boolean" ? { value: text === "true", value_type: type } : { text }
  }
  return { element, read, isDirty: () => element.value !== before, isLong: element.localName === "textarea" }
}
