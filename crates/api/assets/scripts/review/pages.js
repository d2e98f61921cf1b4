// The pages of the document: zoom, the boxes of the fields on them, and scrolling from a field to its place.

import { t } from "../page.js"
import { documentId, nameOf, onFormUpdate, onSelect, rows, select } from "./form.js"
import { loadText } from "./text_layer.js"

const IMAGE_SCALES = [1.5, 2, 3, 4]
const ZOOM = { min: 50, max: 200, step: 10 }
const SVG = "http://www.w3.org/2000/svg"
/** The distance from a box at which the pointer still counts as on it, in points. */
const TOLERANCE = 1.5

const scroller = document.getElementById("pages")
export const pages = [...scroller.querySelectorAll(".page")]
const boxName = document.getElementById("box-name")
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)")
const nearPages = new Set()
let fieldBoxes = []
let zoom = 100

/** Parses the rectangles of a data-boxes attribute. Rectangles on the same line become one. */
export function parseBoxes(text) {
  const lines = []
  for (const written of (text ?? "").split(";").filter(Boolean)) {
    const [x0, y0, x1, y1] = written.split(",").map(Number)
    const last = lines.at(-1)
    const isSameLine = last && y0 < (last.y0 + last.y1) / 2 && y1 > (last.y0 + last.y1) / 2 && x0 >= last.x0
    if (isSameLine) Object.assign(last, { x1: Math.max(last.x1, x1), y0: Math.min(last.y0, y0), y1: Math.max(last.y1, y1) })
    else lines.push({ x0, y0, x1, y1 })
  }
  return lines
}

/** A rectangle on a page. */
export function boxElement(box, className, id) {
  const rect = document.createElementNS(SVG, "rect")
  const pad = 1.2
  const attributes = { x: box.x0 - pad, y: box.y0 - pad, width: box.x1 - box.x0 + 2 * pad, height: box.y1 - box.y0 + 2 * pad, rx: 1.5 }
  for (const [name, value] of Object.entries(attributes)) rect.setAttribute(name, String(value))
  rect.setAttribute("class", className)
  if (id) rect.dataset.row = id
  return rect
}

const pageOf = (number) => pages[Number(number) - 1]

/** Draws the boxes of all rows. */
function drawBoxes() {
  fieldBoxes = []
  for (const page of pages) page.querySelector(".boxes").replaceChildren()
  for (const row of rows()) {
    const page = pageOf(row.dataset.page)
    if (!page) continue
    for (const box of parseBoxes(row.dataset.boxes)) {
      fieldBoxes.push({ page, box, id: row.id })
      page.querySelector(".boxes").append(boxElement(box, `box ${row.dataset.band}`, row.id))
    }
  }
}

function markSelected(row) {
  for (const rect of scroller.querySelectorAll(".box")) rect.classList.toggle("selected", rect.dataset.row === row?.id)
}

const scrollBehavior = () => (reducedMotion.matches ? "auto" : "smooth")

/** Scrolls to the place of a row or a candidate, unless it is in view. */
export function scrollToPlace({ page: number, boxes }) {
  const page = pageOf(number)
  if (!page) return
  const box = parseBoxes(boxes)[0]
  const pixels = page.clientHeight / Number(page.dataset.height)
  const top = page.offsetTop + (box ? box.y0 * pixels : 0)
  const bottom = page.offsetTop + (box ? box.y1 * pixels : 0)
  const isInView = box && top > scroller.scrollTop + 24 && bottom < scroller.scrollTop + scroller.clientHeight - 24
  if (!isInView) scroller.scrollTo({ top: top - scroller.clientHeight * 0.3, behavior: scrollBehavior() })
}

/** Highlights where a candidate was found. Null removes the highlight. */
export function highlightCandidate(candidate) {
  for (const rect of scroller.querySelectorAll(".highlight")) rect.remove()
  const page = candidate && pageOf(candidate.dataset.page)
  if (!page) return
  for (const box of parseBoxes(candidate.dataset.boxes)) page.querySelector(".boxes").append(boxElement(box, "highlight"))
  scrollToPlace(candidate.dataset)
}

/** The row whose box is under the pointer: the smallest if boxes overlap. */
function rowUnder(pointer) {
  const page = pointer.target.closest?.(".page")
  if (!page) return null
  const edge = page.getBoundingClientRect()
  const points = Number(page.dataset.width) / edge.width
  const [x, y] = [(pointer.clientX - edge.left) * points, (pointer.clientY - edge.top) * points]
  const isInside = ({ box }) => x > box.x0 - TOLERANCE && x < box.x1 + TOLERANCE && y > box.y0 - TOLERANCE && y < box.y1 + TOLERANCE
  const area = ({ box }) => (box.x1 - box.x0) * (box.y1 - box.y0)
  const hits = fieldBoxes.filter((one) => one.page === page && isInside(one)).sort((one, other) => area(one) - area(other))
  return hits.length > 0 ? document.getElementById(hits[0].id) : null
}

/** Shows the name of the field under the pointer. */
function showBoxName(pointer) {
  const row = rowUnder(pointer)
  scroller.classList.toggle("over-box", row !== null)
  boxName.hidden = row === null
  for (const rect of scroller.querySelectorAll(".box")) rect.classList.toggle("hovered", row !== null && rect.dataset.row === row.id)
  if (row === null) return
  boxName.textContent = nameOf(row)
  const edge = boxName.parentElement.getBoundingClientRect()
  const left = Math.min(pointer.clientX - edge.left + 12, edge.width - boxName.offsetWidth - 8)
  boxName.style.left = `${left}px`
  boxName.style.top = `${pointer.clientY - edge.top + 18}px`
}

/** Loads an image with enough pixels for the size at which the page is shown. */
function loadSharperImage(page) {
  const image = page.querySelector("img")
  const wanted = (page.clientWidth * devicePixelRatio * 0.9) / Number(page.dataset.width)
  const scale = IMAGE_SCALES.find((one) => one >= wanted) ?? IMAGE_SCALES.at(-1)
  const now = Number(image.dataset.scale ?? IMAGE_SCALES[0])
  if (scale <= now) return
  image.dataset.scale = String(scale)
  image.src = `/documents/${documentId}/pages/${page.dataset.page}/image?scale=${scale}`
}

/** Sets the zoom in percent of the fitting width. The point under the pointer stays where it is. */
export function setZoom(wanted, pointer) {
  const next = Math.min(ZOOM.max, Math.max(ZOOM.min, Math.round(wanted / ZOOM.step) * ZOOM.step))
  const edge = scroller.getBoundingClientRect()
  const [x, y] = pointer ? [pointer.clientX - edge.left, pointer.clientY - edge.top] : [edge.width / 2, edge.height / 3]
  const [left, top] = [(scroller.scrollLeft + x) / zoom, (scroller.scrollTop + y) / zoom]
  zoom = next
  scroller.style.setProperty("--zoom", String(zoom / 100))
  scroller.scrollTo({ left: left * zoom - x, top: top * zoom - y, behavior: "instant" })
  document.getElementById("zoom").textContent = t("review.percent", String(zoom))
  nearPages.forEach(loadSharperImage)
}

export const zoomBy = (steps) => setZoom(zoom + steps * ZOOM.step)

/** The number of the page that is read now. */
export function pageNumber() {
  const line = scroller.scrollTop + scroller.clientHeight / 3
  const index = pages.findLastIndex((page) => page.offsetTop <= line)
  return Math.max(0, index) + 1
}

export function goToPage(number) {
  const page = pageOf(Math.min(pages.length, Math.max(1, number)))
  if (page) scroller.scrollTo({ top: page.offsetTop - 12, behavior: scrollBehavior() })
}

function showPageNumber() {
  const label = document.getElementById("page-number")
  let isScheduled = false
  scroller.addEventListener("scroll", () => {
    if (isScheduled) return
    isScheduled = true
    requestAnimationFrame(() => {
      isScheduled = false
      label.textContent = String(pageNumber())
    })
  })
}

/** Loads the image and the text of pages that are in view or close to it. */
function loadNearPages() {
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) nearPages.delete(target)
      else {
        nearPages.add(target)
        loadSharperImage(target)
        loadText(target)
      }
    }
  }, { root: scroller, rootMargin: "60% 0px" })
  pages.forEach((page) => observer.observe(page))
}

/** Shows the text of a page whose image cannot be loaded. */
function showTextWithoutImage() {
  for (const page of pages) {
    const image = page.querySelector("img")
    const onError = () => {
      page.classList.add("no-image")
      page.title = t("review.no_image")
    }
    if (image.complete && image.naturalWidth === 0 && image.loading !== "lazy") onError()
    image.addEventListener("error", onError)
    image.addEventListener("load", () => page.classList.remove("no-image"))
  }
}

export function startPages() {
  drawBoxes()
  onFormUpdate(drawBoxes)
  onSelect((row, quietly) => {
    markSelected(row)
    if (row && !quietly) scrollToPlace(row.dataset)
  })
  if (pages.length === 0) return
  showPageNumber()
  loadNearPages()
  showTextWithoutImage()
  scroller.addEventListener("pointermove", showBoxName)
  scroller.addEventListener("pointerleave", () => { boxName.hidden = true })
  scroller.addEventListener("click", (pointer) => {
    const row = getSelection().isCollapsed ? rowUnder(pointer) : null
    if (row) select(row)
  })
  scroller.addEventListener("wheel", (wheel) => {
    if (!wheel.ctrlKey) return
    wheel.preventDefault()
    setZoom(zoom - Math.sign(wheel.deltaY) * ZOOM.step, wheel)
  }, { passive: false })
  const onClick = (id, action) => document.getElementById(id).addEventListener("click", action)
  onClick("zoom-in", () => zoomBy(1))
  onClick("zoom-out", () => zoomBy(-1))
  onClick("zoom", () => setZoom(100))
  onClick("page-previous", () => goToPage(pageNumber() - 1))
  onClick("page-next", () => goToPage(pageNumber() + 1))
}
