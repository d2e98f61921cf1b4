// Inputs for values of each type.

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
  if (type === "date") {
    element.type = "date"
    element.max = "9999-12-31"
  }
  if (type === "number") element.inputMode = "decimal"
  element.autocomplete = "off"
  element.value = value ?? ""
  return element
}

/** Creates an input for a value. `read` returns the entered value, null if it is empty, and throws if it does not fit the type. */
export function inputFor(type, value, label) {
  const element = elementFor(type, value)
  element.setAttribute("aria-label", label)
  const before = element.value
  const read = () => {
    const text = element.value.trim()
    if (element.validity?.badInput) throw new Error(t("review.invalid_date"))
    if (text === "") return null
    if (type === "boolean") return text === "true"
    if (type !== "number") return text
    const number = Number(text.replace(",", "."))
    if (!Number.isFinite(number)) throw new Error(t("review.invalid_number"))
    return number
  }
  return { element, read, isDirty: () => element.value !== before, isLong: element.localName === "textarea" }
}
