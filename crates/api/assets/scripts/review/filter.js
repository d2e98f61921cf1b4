// Shows only the rows that somebody wants to see.

import { count } from "../page.js"
import { onPanel, rows, selected } from "./panel.js"

const DEBOUNCE = 200
const input = document.getElementById("filter")
const buttons = [...document.querySelectorAll(".filters [aria-pressed]")]
const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()

const pressed = (name) => buttons.filter((one) => one.dataset[name] && one.getAttribute("aria-pressed") === "true").map((one) => one.dataset[name])

function passes(row, wish) {
  const { key, title, band } = row.dataset
  const isEmpty = row.classList.contains("blank")
  const says = () => plain(`${title} ${key} ${isEmpty ? "" : row.querySelector(".value").textContent}`)
  return (wish.bands.length === 0 || wish.bands.includes(band))
    && (!wish.only.includes("critical") || row.dataset.critical !== undefined)
    && (!wish.only.includes("value") || !isEmpty)
    && (!wish.only.includes("empty") || isEmpty)
    && (wish.text === "" || says().includes(wish.text))
}

function apply() {
  const wish = { text: plain(input.value.trim()), bands: pressed("band"), only: pressed("only") }
  const isAny = wish.text !== "" || wish.bands.length > 0 || wish.only.length > 0
  let shown = 0
  for (const row of rows()) {
    // What is being edited is not taken away.
    const isShown = !isAny || passes(row, wish) || (row === selected() && row.querySelector(".editor") !== null)
    row.hidden = !isShown
    if (isShown) shown += 1
  }
  const body = document.getElementById("panel-body")
  body.classList.toggle("filtered", isAny)
  for (const part of body.querySelectorAll(".visit, .section")) part.hidden = isAny && part.querySelector(".field:not([hidden])") === null
  document.getElementById("none-shown").hidden = shown > 0
  document.getElementById("shown").textContent = isAny ? count("review.matches", shown) : ""
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
    timer = setTimeout(apply, DEBOUNCE)
  })
  for (const one of buttons) {
    one.addEventListener("click", () => {
      one.setAttribute("aria-pressed", String(one.getAttribute("aria-pressed") !== "true"))
      apply()
    })
  }
  onPanel(apply)
}
