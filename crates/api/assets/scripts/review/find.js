// Finds text in all pages of the document, including those that were not scrolled to yet.

import { t } from "../page.js"
import { pages } from "./pages.js"
import { loadText } from "./text_layer.js"

const TYPING_PAUSE = 200
const scroller = document.getElementById("pages")
const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()
let hits = []
let current = -1

/** The hits, each as a list of the word elements that it covers. */
function search(text) {
  const wanted = fold(text).split(/\s+/).filter(Boolean)
  const words = pages.flatMap((page) => [...page.querySelectorAll("[data-text] span")])
  const folded = words.map((word) => fold(word.textContent.trim()))
  const matchesAt = (index) => wanted.every((piece, offset) => {
    const word = folded[index + offset] ?? ""
    if (wanted.length === 1) return word.includes(piece)
    if (offset === 0) return word.endsWith(piece)
    return offset === wanted.length - 1 ? word.startsWith(piece) : word === piece
  })
  return words.flatMap((_, index) => (matchesAt(index) ? [words.slice(index, index + wanted.length)] : []))
}

function clear() {
  for (const word of scroller.querySelectorAll(".hit")) word.classList.remove("hit", "current")
  hits = []
  current = -1
}

function move(by) {
  if (hits.length === 0) return
  hits[current]?.forEach((word) => word.classList.remove("current"))
  current = (current + by + hits.length) % hits.length
  hits[current].forEach((word) => word.classList.add("current"))
  hits[current][0].scrollIntoView({ block: "center", inline: "nearest" })
  showCount(t("review.find_position", String(current + 1)).replace("{}", String(hits.length)))
}

const showCount = (text) => { document.getElementById("find-count").textContent = text }

async function find(text) {
  clear()
  if (text.trim() === "") return showCount("")
  for (const page of pages) await loadText(page)
  if (document.getElementById("find-text").value !== text) return
  clear()
  hits = search(text)
  hits.flat().forEach((word) => word.classList.add("hit"))
  if (hits.length === 0) return showCount(t("review.find_none"))
  move(1)
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
    }, TYPING_PAUSE)
  })
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault()
      if (searched === input.value) move(event.shiftKey ? -1 : 1)
    }
    if (event.key === "Escape") {
      input.value = ""
      find("")
      scroller.focus()
    }
  })
  form.addEventListener("submit", (event) => event.preventDefault())
}
