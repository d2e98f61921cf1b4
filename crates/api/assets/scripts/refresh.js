// Refreshes a part of a page when something happens: not too often, and once more after the last event.

import { requestPart } from "./http.js"
import { parseHtml } from "./page.js"
import { showTimes } from "./times.js"

/** Returns a function that reloads the HTML of an element from an address, at most once per `pause` milliseconds. */
export function refresher(element, address, pause) {
  let running = null
  let isDueAgain = false
  async function refresh() {
    try {
      const part = parseHtml(await requestPart(address, { isBackground: true }))
      const focused = document.activeElement?.id
      const opened = [...element.querySelectorAll("details[open][id]")].map(({ id }) => id)
      element.replaceChildren(part)
      showTimes(element)
      // What a person has opened stays open.
      for (const id of opened) document.getElementById(id)?.setAttribute("open", "")
      if (focused) document.getElementById(focused)?.focus()
    } catch {
      // The server does not respond, which frame.js shows. The next event refreshes the part.
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
    running = null
    if (isDueAgain) start()
  }
  function start() {
    isDueAgain = false
    running = refresh()
  }
  return () => (running ? (isDueAgain = true) : start())
}
