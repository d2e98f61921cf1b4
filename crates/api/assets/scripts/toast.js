// Short messages in the corner of the page. At most three are shown; each goes away by itself unless the pointer is on it.

import { t } from "./page.js"

const MAX_TOASTS = 3
const SUCCESS_DURATION = 3500
const DURATION = 5000

/** Shows a message. `tone` is "success", "error" or empty. */
export function toast(message, tone = "") {
  const list = document.getElementById("toasts")
  const element = document.createElement("div")
  element.className = `toast ${tone}`
  const text = document.createElement("p")
  text.textContent = message
  const close = document.createElement("button")
  close.className = "quiet"
  close.textContent = "×"
  close.setAttribute("aria-label", t("frame.close"))
  const remove = () => element.remove()
  close.addEventListener("click", remove)
  element.append(text, close)
  let timer = setTimeout(remove, tone === "success" ? SUCCESS_DURATION : DURATION)
  element.addEventListener("pointerenter", () => clearTimeout(timer))
  element.addEventListener("pointerleave", () => { timer = setTimeout(remove, DURATION) })
  list.append(element)
  while (list.children.length > MAX_TOASTS) list.firstElementChild.remove()
}
