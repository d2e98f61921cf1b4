// Saved searches. They are kept in this browser: a search is an address, which anybody can send or bookmark as well.

import { t } from "../page.js"

const STORAGE_KEY = "quire.searches"
const MOST = 50

const section = document.getElementById("saved")
const list = section.querySelector("ul")
const save = document.getElementById("save-search")
let current = ""

/** The saved queries, oldest first. What another program has written there is ignored. */
function saved() {
  try {
    const stored = JSON.parse(localStorage.getItem(STORAGE_KEY))
    return Array.isArray(stored) ? stored.filter((query) => typeof query === "string") : []
  } catch {
    return []
  }
}

function store(queries) {
  localStorage.setItem(STORAGE_KEY, JSON.stringify(queries.slice(-MOST)))
  showSaved(current)
}

function item(query) {
  const element = document.createElement("li")
  const link = document.createElement("a")
  link.href = `/app/search?${new URLSearchParams({ q: query })}`
  link.textContent = query
  const remove = document.createElement("button")
  remove.type = "button"
  remove.className = "quiet"
  remove.textContent = "×"
  remove.setAttribute("aria-label", t("search.remove", query))
  remove.addEventListener("click", () => {
    store(saved().filter((other) => other !== query))
    document.getElementById("q").focus()
  })
  element.append(link, remove)
  return element
}

/** Shows the saved searches, and offers to save this one unless it is saved. */
export function showSaved(query) {
  current = query.trim()
  const queries = saved()
  list.replaceChildren(...queries.map(item))
  section.hidden = queries.length === 0
  save.hidden = current === "" || queries.includes(current)
}

save.addEventListener("click", () => {
  if (current !== "") store([...saved().filter((query) => query !== current), current])
  document.getElementById("q").focus()
})
