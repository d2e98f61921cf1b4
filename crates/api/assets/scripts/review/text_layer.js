// The text of a page as an invisible layer over its image, so that it can be selected and found.

import { requestJson } from "../http.js"
import { documentId } from "./form.js"

const FONT = "100px sans-serif"
const canvas = document.createElement("canvas").getContext("2d")
const loads = new Map()

function widthOf(text) {
  canvas.font = FONT
  return canvas.measureText(text).width / 100
}

function wordElement(word, page) {
  const { x0, y0, x1, y1 } = word.rect
  const element = document.createElement("span")
  // Without the space, browsers copy neighbouring words as one.
  element.textContent = `${word.text} `
  const height = y1 - y0
  element.style.left = `${(100 * x0) / page.width}%`
  element.style.top = `${(100 * y0) / page.height}%`
  element.style.fontSize = `${(100 * height) / page.width}cqw`
  element.style.transform = `scaleX(${(x1 - x0) / Math.max(widthOf(word.text) * height, 0.1)})`
  return element
}

async function load(element) {
  const page = await requestJson(`/documents/${documentId}/pages/${element.dataset.page}`)
  const text = document.createDocumentFragment()
  for (const line of page.lines) {
    for (const word of line.words) text.append(wordElement(word, page))
    text.append(document.createElement("br"))
  }
  element.querySelector("[data-text]").replaceChildren(text)
}

/** Loads the text layer of a page, once. */
export function loadText(element) {
  if (!loads.has(element)) loads.set(element, load(element).catch(() => loads.delete(element)))
  return loads.get(element)
}
