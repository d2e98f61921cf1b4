// The words of a page, laid over its picture without being seen, so that they can be selected and found.

import { ask } from "../ask.js"
import { documentId } from "./panel.js"

const FONT = "100px sans-serif"
const brush = document.createElement("canvas").getContext("2d")
const asked = new Map()

function widthOf(text) {
  brush.font = FONT
  return brush.measureText(text).width / 100
}

function place(word, page) {
  const { x0, y0, x1, y1 } = word.rect
  const element = document.createElement("span")
  // With its space: what lies apart would else be copied as one word.
  element.textContent = `${word.text} `
  const height = y1 - y0
  element.style.left = `${(100 * x0) / page.width}%`
  element.style.top = `${(100 * y0) / page.height}%`
  element.style.fontSize = `${(100 * height) / page.width}cqw`
  element.style.transform = `scaleX(${(x1 - x0) / Math.max(widthOf(word.text) * height, 0.1)})`
  return element
}

async function lay(sheet) {
  const page = await ask(`/documents/${documentId}/pages/${sheet.dataset.page}`)
  const text = document.createDocumentFragment()
  for (const line of page.lines) {
    for (const word of line.words) text.append(place(word, page))
    text.append(document.createElement("br"))
  }
  sheet.querySelector("[data-text]").replaceChildren(text)
}

/** Lays the words over a page, once. */
export function layText(sheet) {
  if (!asked.has(sheet)) {
    const laid = lay(sheet).catch(() => asked.delete(sheet))
    asked.set(sheet, laid)
  }
  return asked.get(sheet)
}
