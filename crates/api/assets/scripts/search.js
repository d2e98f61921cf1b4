// The search page: results while somebody types, keys, and saved searches.

import { requestPart } from "./http.js"
import { parseHtml } from "./page.js"
import { showTimes } from "./times.js"
import { toast } from "./toast.js"
import { showSaved } from "./search/saved.js"

const TYPING_PAUSE = 150

const form = document.getElementById("search")
const box = document.getElementById("q")
const results = document.getElementById("results")
const total = document.getElementById("total")
const links = () => [...results.querySelectorAll("a.name")]

let requests = new AbortController()
let timer

const addressOf = (query) => (query.trim() === "" ? "/app/search" : `/app/search?${new URLSearchParams({ q: query })}`)

function showTotal() {
  total.textContent = document.getElementById("found")?.dataset.total ?? ""
}

/** Loads the results of the query in the box. While somebody types, its last word may be only a beginning. */
async function load(isTyping) {
  clearTimeout(timer)
  requests.abort()
  requests = new AbortController()
  const { signal } = requests
  const query = new URLSearchParams({ q: box.value })
  if (isTyping) query.set("typing", "true")
  try {
    const part = parseHtml(await requestPart(`/app/search/results?${query}`, { signal }))
    if (signal.aborted) return
    results.replaceChildren(part)
    showTimes(results)
    showTotal()
  } catch (error) {
    if (error.name !== "AbortError") toast(error.message, "error")
  }
}

/** Puts the query into the address. The back button undoes everything typed in one step. */
function remember(isTyping) {
  const address = addressOf(box.value)
  if (address !== location.pathname + location.search) {
    const isStillTyping = isTyping && history.state?.isTyping
    history[isStillTyping ? "replaceState" : "pushState"]({ isTyping }, "", address)
  }
  showSaved(box.value)
}

box.addEventListener("input", () => {
  clearTimeout(timer)
  timer = setTimeout(() => {
    remember(true)
    load(true)
  }, TYPING_PAUSE)
})
form.addEventListener("submit", (event) => {
  event.preventDefault()
  remember(false)
  load(false)
})
addEventListener("popstate", () => {
  box.value = new URLSearchParams(location.search).get("q") ?? ""
  showSaved(box.value)
  load(false)
})

// Keys

function move(by) {
  const all = links()
  const index = all.indexOf(document.activeElement)
  const link = index < 0 ? all[by > 0 ? 0 : all.length - 1] : all[index + by]
  if (link) link.focus()
  else if (by < 0) box.focus()
}

const KEYS = { ArrowDown: () => move(1), ArrowUp: () => move(-1), j: () => move(1), k: () => move(-1), "/": () => box.select() }

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const isInBox = event.target === box
  if (isInBox && event.key === "Escape") return box.blur()
  const action = isInBox ? (event.key === "ArrowDown" ? KEYS.ArrowDown : undefined) : KEYS[event.key]
  if (!action || (!isInBox && event.target.closest("input, select, textarea"))) return
  event.preventDefault()
  action()
})

showTimes()
showTotal()
showSaved(box.value)
if (box.value === "") box.focus()
// Tests wait for this mark before they use the page.
document.documentElement.dataset.ready = "yes"
