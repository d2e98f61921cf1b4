// Shows where the words of a search stand when the document was opened from its results.

import { requestJson } from "../http.js"
import { t } from "../page.js"
import { toast } from "../toast.js"
import { boxElement, goToPage, pages, scrollToPlace } from "./pages.js"
import { documentId, onFormUpdate } from "./form.js"

const bar = document.getElementById("hits")
let hits = []
let current = -1

const written = ({ boxes }) => boxes.map(({ x0, y0, x1, y1 }) => [x0, y0, x1, y1].join(",")).join(";")

function draw() {
  for (const rect of document.querySelectorAll("#pages .found")) rect.remove()
  hits.forEach((hit, index) => {
    const layer = pages[hit.page - 1]?.querySelector(".boxes")
    for (const box of hit.boxes) layer?.append(boxElement(box, index === current ? "found current" : "found"))
  })
}

/** Goes to another hit; after the last one to the first. */
export function moveToHit(by) {
  if (hits.length === 0) return
  current = (current + by + hits.length) % hits.length
  draw()
  scrollToPlace({ page: hits[current].page, boxes: written(hits[current]) })
  document.getElementById("hit-count").textContent = t("review.find_position", String(current + 1)).replace("{}", String(hits.length))
}

function close() {
  hits = []
  draw()
  bar.hidden = true
  const address = new URL(location.href)
  for (const name of ["q", "page"]) address.searchParams.delete(name)
  history.replaceState(history.state, "", address)
  document.getElementById("pages").focus()
}

export async function startHits() {
  const asked = new URLSearchParams(location.search)
  const query = asked.get("q")
  if (!bar || !query) return
  const page = Number(asked.get("page") ?? 0)
  try {
    hits = (await requestJson(`/documents/${documentId}/hits?${new URLSearchParams({ q: query })}`)).items
  } catch (error) {
    toast(error.message, "error")
    return
  }
  // What was found by its meaning has no words to show.
  if (hits.length === 0) return page > 0 ? goToPage(page) : undefined
  onFormUpdate(draw)
  bar.hidden = false
  document.getElementById("hit-next").addEventListener("click", () => moveToHit(1))
  document.getElementById("hit-previous").addEventListener("click", () => moveToHit(-1))
  document.getElementById("hits-close").addEventListener("click", close)
  const first = hits.findIndex((hit) => hit.page === page)
  current = first < 0 ? -1 : first - 1
  moveToHit(1)
}
