// Short messages in the corner: three at most, gone after a while, which waits as long as somebody reads one.

import { t } from "./page.js"

const MOST = 3
const STAY = { success: 3500 }
const STAY_ELSE = 5000

/** Shows a message; `tone` is success, error or nothing. */
export function toast(message, tone = "") {
  const place = document.getElementById("toasts")
  const shown = document.createElement("div")
  shown.className = `toast ${tone}`
  const text = document.createElement("p")
  text.textContent = message
  const close = document.createElement("button")
  close.className = "quiet"
  close.textContent = "×"
  close.setAttribute("aria-label", t("frame.close"))
  const gone = () => shown.remove()
  close.addEventListener("click", gone)
  shown.append(text, close)
  let timer = setTimeout(gone, STAY[tone] ?? STAY_ELSE)
  shown.addEventListener("pointerenter", () => clearTimeout(timer))
  shown.addEventListener("pointerleave", () => { timer = setTimeout(gone, STAY_ELSE) })
  place.append(shown)
  while (place.children.length > MOST) place.firstElementChild.remove()
}
