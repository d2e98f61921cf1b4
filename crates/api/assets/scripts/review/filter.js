// Filters the rows of the form by text, confidence, and other properties.

import { count } from "../page.js"
import { onFormUpdate, rows, selected } from "./form.js"

const TYPING_PAUSE = 200
const input = document.getElementById("filter")
const buttons = [...document.querySelectorAll(".filters [aria-pressed]")]
const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()

const pressed = (name) => buttons.filter((one) => one.dataset[name] && one.getAttribute("aria-pressed") === "true").map((one) => one.dataset[name])

function matches(row, filter) {
  const { key, title, band } = row.dataset
  const isEmpty = row.classList.contains("blank")
  const text = () => fold(`${title} ${key} ${isEmpty ? "" : row.querySelector(".value").textContent}`)
  return (filter.bands.length === 0 || filter.bands.includes(band))
    && (!filter.only.includes("critical") || row.dataset.critical !== undefined)
    && (!filter.only.includes("value") || !isEmpty)
    && (!filter.only.includes("empty") || isEmpty)
    && (filter.text === "" || text().includes(filter.text))
}

function apply() {
  const filter = { text: fold(input.value.trim()), bands: pressed("band"), only: pressed("only") }
  const isActive = filter.text !== "" || filter.bands.length > 0 || filter.only.length > 0
  let visible = 0
  for (const row of rows()) {
    // The row that is being edited stays visible.
    const isVisible = !isActive || matches(row, filter) || (row === selected() && row.querySelector(".editor") !== null)
    row.hidden = !isVisible
    if (isVisible) visible += 1
  }
  const body = document.getElementById("form-body")
  body.classList.toggle("filtered", isActive)
  for (const part of body.querySelectorAll(".visit, .section")) part.hidden = isActive && part.querySelector(".field:not([hidden])") === null
  document.getElementById("no-matches").hidden = visible > 0
  document.getElementById("filter-count").textContent = isActive ? count("review.matches", visible) : ""
}

export function clearFilter() {
  input.value = ""
  buttons.forEach((one) => one.setAttribute("aria-pressed", "false"))
  apply()
}

export function startFilter() {
  let timer
  input.addEventListener("input", () => {
    clearTimeout(timer)
    timer = setTimeout(apply, TYPING_PAUSE)
  })
  for (const one of buttons) {
    one.addEventListener("click", () => {
      one.setAttribute("aria-pressed", String(one.getAttribute("aria-pressed") !== "true"))
      apply()
    })
  }
  onFormUpdate(apply)
}
