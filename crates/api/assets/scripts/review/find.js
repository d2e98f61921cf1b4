// Finds words in the pages, whether they have been looked at or not.

import { t } from "../page.js"
import { sheets } from "./sheets.js"
import { layText } from "./text.js"

const DEBOUNCE = 200
const scroller = document.getElementById("sheets")
const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()
let hits = []
let place = -1

/** The words of each stretch that says what is looked for. */
function search(text) {
  const wanted = plain(text).split(/\s+/).filter(Boolean)
  const words = sheets.flatMap((sheet) => [...sheet.querySelectorAll("[data-text] span")])
  const said = words.map((word) => plain(word.textContent.trim()))
  const fits = (at) => wanted.every((piece, offset) => {
    const word = said[at + offset] ?? ""
    if (wanted.length === 1) return word.includes(piece)
    if (offset === 0) return word.endsWith(piece)
    return offset === wanted.length - 1 ? word.startsWith(piece) : word === piece
  })
  return words.flatMap((_, at) => (fits(at) ? [words.slice(at, at + wanted.length)] : []))
}

function clear() {
  for (const word of scroller.querySelectorAll(".hit")) word.classList.remove("hit", "at")
  hits = []
  place = -1
}

function go(by) {
  if (hits.length === 0) return
  hits[place]?.forEach((word) => word.classList.remove("at"))
  place = (place + by + hits.length) % hits.length
  hits[place].forEach((word) => word.classList.add("at"))
  hits[place][0].scrollIntoView({ block: "center", inline: "nearest" })
  tell(t("review.find_position", String(place + 1)).replace("{}", String(hits.length)))
}

const tell = (text) => { document.getElementById("find-count").textContent = text }

async function find(text) {
  clear()
  if (text.trim() === "") return tell("")
  for (const sheet of sheets) await layText(sheet)
  if (document.getElementById("find-text").value !== text) return
  clear()
  hits = search(text)
  hits.flat().forEach((word) => word.classList.add("hit"))
  if (hits.length === 0) return tell(t("review.find_none"))
  go(1)
}

export function startFind() {
  const form = document.getElementById("find")
  if (!form) return
  const input = document.getElementById("find-text")
  let timer
  let searched = ""
  input.addEventListener("input", () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      searched = input.value
      find(searched)
    }, DEBOUNCE)
  })
  input.addEventListener("keydown", (key) => {
    if (key.key === "Enter") {
      key.preventDefault()
      if (searched === input.value) go(key.shiftKey ? -1 : 1)
    }
    if (key.key === "Escape") {
      input.value = ""
      find("")
      scroller.focus()
    }
  })
  form.addEventListener("submit", (event) => event.preventDefault())
}
