// A part of a page that is shown anew when something happens: not more often than the eye follows, and once more at the end.

import { askPart } from "./ask.js"
import { made } from "./page.js"
import { showTimes } from "./moments.js"

/** Gives a function that shows the part of that address anew in an element, at most once in so many milliseconds. */
export function renewing(element, address, pause) {
  let waiting = null
  let again = false
  async function renew() {
    try {
      const part = made(await askPart(address))
      const focused = document.activeElement?.id
      element.replaceChildren(part)
      showTimes(element)
      if (focused) document.getElementById(focused)?.focus()
    } catch {
      // The server is away, which the frame says; the next event shows the part anew.
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
    waiting = null
    if (again) start()
  }
  function start() {
    again = false
    waiting = renew()
  }
  return () => (waiting ? (again = true) : start())
}
