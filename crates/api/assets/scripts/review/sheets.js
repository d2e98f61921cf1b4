// The pages: their size, the boxes of what was found on them, and the way from a field to its place.

import { t } from "../page.js"
import { documentId, nameOf, onPanel, onSelect, rows, select } from "./panel.js"
import { layText } from "./text.js"

const SCALES = [1.5, 2, 3, 4]
const ZOOM = { least: 50, most: 200, step: 10 }
const SVG = "http://www.w3.org/2000/svg"
/** How near the pointer must be to a box, in points. */
const NEAR = 1.5

const scroller = document.getElementById("sheets")
export const sheets = [...scroller.querySelectorAll(".sheet")]
const boxName = document.getElementById("box-name")
const calm = matchMedia("(prefers-reduced-motion: reduce)")
const near = new Set()
let found = []
let zoom = 100

/** Rectangles as the server writes them, those of one line as one. */
export function boxesOf(text) {
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

function drawn(box, className, id) {
  const rect = document.createElementNS(SVG, "rect")
  const pad = 1.2
  const sides = { x: box.x0 - pad, y: box.y0 - pad, width: box.x1 - box.x0 + 2 * pad, height: box.y1 - box.y0 + 2 * pad, rx: 1.5 }
  for (const [name, value] of Object.entries(sides)) rect.setAttribute(name, String(value))
  rect.setAttribute("class", className)
  if (id) rect.dataset.row = id
  return rect
}

const sheetOf = (number) => sheets[Number(number) - 1]

/** Draws the boxes of all rows. */
function draw() {
  found = []
  for (const sheet of sheets) sheet.querySelector(".boxes").replaceChildren()
  for (const row of rows()) {
    const sheet = sheetOf(row.dataset.page)
    if (!sheet) continue
    for (const box of boxesOf(row.dataset.boxes)) {
      found.push({ sheet, box, id: row.id })
      sheet.querySelector(".boxes").append(drawn(box, `box ${row.dataset.band}`, row.id))
    }
  }
}

function mark(row) {
  for (const rect of scroller.querySelectorAll(".box")) rect.classList.toggle("chosen", rect.dataset.row === row?.id)
}

/** Brings a place into view: that of a row, or of a candidate. */
export function reveal({ page, boxes }) {
  const sheet = sheetOf(page)
  if (!sheet) return
  const box = boxesOf(boxes)[0]
  const pixels = sheet.clientHeight / Number(sheet.dataset.height)
  const top = sheet.offsetTop + (box ? box.y0 * pixels : 0)
  const bottom = sheet.offsetTop + (box ? box.y1 * pixels : 0)
  const isSeen = box && top > scroller.scrollTop + 24 && bottom < scroller.scrollTop + scroller.clientHeight - 24
  if (!isSeen) scroller.scrollTo({ top: top - scroller.clientHeight * 0.3, behavior: calm.matches ? "auto" : "smooth" })
}

/** Shows where a candidate was found, as long as somebody looks at it. */
export function hint(element) {
  for (const rect of scroller.querySelectorAll(".hint")) rect.remove()
  const sheet = element && sheetOf(element.dataset.page)
  if (!sheet) return
  for (const box of boxesOf(element.dataset.boxes)) sheet.querySelector(".boxes").append(drawn(box, "hint"))
  reveal(element.dataset)
}

function under(pointer) {
  const sheet = pointer.target.closest?.(".sheet")
  if (!sheet) return null
  const edge = sheet.getBoundingClientRect()
  const points = Number(sheet.dataset.width) / edge.width
  const [x, y] = [(pointer.clientX - edge.left) * points, (pointer.clientY - edge.top) * points]
  const isIn = ({ box }) => x > box.x0 - NEAR && x < box.x1 + NEAR && y > box.y0 - NEAR && y < box.y1 + NEAR
  const size = ({ box }) => (box.x1 - box.x0) * (box.y1 - box.y0)
  const hits = found.filter((one) => one.sheet === sheet && isIn(one)).sort((one, other) => size(one) - size(other))
  return hits.length > 0 ? document.getElementById(hits[0].id) : null
}

function name(pointer) {
  const row = under(pointer)
  scroller.classList.toggle("over-box", row !== null)
  boxName.hidden = row === null
  for (const rect of scroller.querySelectorAll(".box")) rect.classList.toggle("over", row !== null && rect.dataset.row === row.id)
  if (row === null) return
  boxName.textContent = nameOf(row)
  const edge = boxName.parentElement.getBoundingClientRect()
  const left = Math.min(pointer.clientX - edge.left + 12, edge.width - boxName.offsetWidth - 8)
  boxName.style.left = `${left}px`
  boxName.style.top = `${pointer.clientY - edge.top + 18}px`
}

/** A picture with enough dots for its size on the screen. */
function sharpen(sheet) {
  const picture = sheet.querySelector("img")
  const wanted = (sheet.clientWidth * devicePixelRatio * 0.9) / Number(sheet.dataset.width)
  const scale = SCALES.find((one) => one >= wanted) ?? SCALES.at(-1)
  const now = Number(picture.dataset.scale ?? SCALES[0])
  if (scale <= now) return
  picture.dataset.scale = String(scale)
  picture.src = `/documents/${documentId}/pages/${sheet.dataset.page}/image?scale=${scale}`
}

/** The size of the pages in hundredths of what fits; the point under the pointer stays where it is. */
export function setZoom(wanted, pointer) {
  const next = Math.min(ZOOM.most, Math.max(ZOOM.least, Math.round(wanted / ZOOM.step) * ZOOM.step))
  const edge = scroller.getBoundingClientRect()
  const [x, y] = pointer ? [pointer.clientX - edge.left, pointer.clientY - edge.top] : [edge.width / 2, edge.height / 3]
  const [left, top] = [(scroller.scrollLeft + x) / zoom, (scroller.scrollTop + y) / zoom]
  zoom = next
  scroller.style.setProperty("--zoom", String(zoom / 100))
  scroller.scrollTo({ left: left * zoom - x, top: top * zoom - y, behavior: "instant" })
  document.getElementById("zoom").textContent = t("review.percent", String(zoom))
  near.forEach(sharpen)
}

export const zoomBy = (steps) => setZoom(zoom + steps * ZOOM.step)

export function pageNumber() {
  const line = scroller.scrollTop + scroller.clientHeight / 3
  const place = sheets.findLastIndex((sheet) => sheet.offsetTop <= line)
  return Math.max(0, place) + 1
}

export function goToPage(number) {
  const sheet = sheetOf(Math.min(sheets.length, Math.max(1, number)))
  if (sheet) scroller.scrollTo({ top: sheet.offsetTop - 12, behavior: calm.matches ? "auto" : "smooth" })
}

function follow() {
  const shown = document.getElementById("page-number")
  let isDue = false
  scroller.addEventListener("scroll", () => {
    if (isDue) return
    isDue = true
    requestAnimationFrame(() => {
      isDue = false
      shown.textContent = String(pageNumber())
    })
  })
}

function watch() {
  const watcher = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) near.delete(target)
      else {
        near.add(target)
        sharpen(target)
        layText(target)
      }
    }
  }, { root: scroller, rootMargin: "60% 0px" })
  sheets.forEach((sheet) => watcher.observe(sheet))
}

/** Where a picture cannot be had, the text of the page is shown. */
function standIn() {
  for (const sheet of sheets) {
    const picture = sheet.querySelector("img")
    const fails = () => {
      sheet.classList.add("bare")
      sheet.title = t("review.no_image")
    }
    if (picture.complete && picture.naturalWidth === 0 && picture.loading !== "lazy") fails()
    picture.addEventListener("error", fails)
    picture.addEventListener("load", () => sheet.classList.remove("bare"))
  }
}

export function startSheets() {
  draw()
  onPanel(draw)
  onSelect((row, quietly) => {
    mark(row)
    if (row && !quietly) reveal(row.dataset)
  })
  if (sheets.length === 0) return
  follow()
  watch()
  standIn()
  scroller.addEventListener("pointermove", name)
  scroller.addEventListener("pointerleave", () => { boxName.hidden = true })
  scroller.addEventListener("click", (pointer) => {
    const row = getSelection().isCollapsed ? under(pointer) : null
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
  onClick("page-back", () => goToPage(pageNumber() - 1))
  onClick("page-on", () => goToPage(pageNumber() + 1))
}
