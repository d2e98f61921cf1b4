// What happens on the server, for this page.

import { page } from "./page.js"
import { Listener } from "./listen.js"

const heard = new Set()
const told = new Set()
let position = page.event

/** Calls back with each event after those that the page already shows, once and in order. */
export function onEvent(callback) {
  heard.add(callback)
}

/** Calls back with whether the server answers, whenever that changes. */
export function onLive(callback) {
  told.add(callback)
}

function take({ event, live, stale }) {
  if (stale) return location.reload()
  if (live !== undefined) for (const callback of told) callback(live)
  if (!event || event.id <= position) return
  position = event.id
  for (const callback of heard) callback(event)
}

function connect() {
  try {
    const worker = new SharedWorker(`${page.assets}/scripts/listen.js`, { type: "module", name: "quire" })
    worker.port.onmessage = ({ data }) => take(data)
    return { join: () => worker.port.postMessage({ join: position }), leave: () => worker.port.postMessage({}) }
  } catch {
    const listener = new Listener()
    return { join: () => listener.join(take, position), leave: () => listener.leave(take) }
  }
}

const connection = connect()
connection.join()
// A page that is left listens no more; one that is come back to goes on from where it was.
addEventListener("pagehide", () => connection.leave())
addEventListener("pageshow", (shown) => shown.persisted && connection.join())
