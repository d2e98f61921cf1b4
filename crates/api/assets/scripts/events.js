// Events of the server, for the scripts of this page.

import { page } from "./page.js"
import { EventStream } from "./event_stream.js"
import { logInAgain } from "./session.js"

const eventListeners = new Set()
const connectionListeners = new Set()
let position = page.event

/** Calls back with each event that is newer than the page, once and in order. */
export function onEvent(callback) {
  eventListeners.add(callback)
}

/** Calls back with whether the server responds, whenever that changes. */
export function onConnectionChange(callback) {
  connectionListeners.add(callback)
}

async function rejoin() {
  // A page without a session cannot log in again.
  if (!page.csrf) return location.reload()
  if (await logInAgain()) connection.join()
}

function receive({ event, isConnected, isOutdated, isLoggedOut }) {
  if (isOutdated) return location.reload()
  if (isLoggedOut) return rejoin()
  if (isConnected !== undefined) for (const callback of connectionListeners) callback(isConnected)
  if (!event || event.id <= position) return
  position = event.id
  for (const callback of eventListeners) callback(event)
}

function connect() {
  try {
    const worker = new SharedWorker(`${page.assets}/scripts/event_stream.js`, { type: "module", name: "quire" })
    worker.port.onmessage = ({ data }) => receive(data)
    return { join: () => worker.port.postMessage({ join: position }), leave: () => worker.port.postMessage({}) }
  } catch {
    const stream = new EventStream()
    return { join: () => stream.join(receive, position), leave: () => stream.leave(receive) }
  }
}

const connection = connect()
connection.join()
// A page that the browser keeps for the back button stops listening, and continues where it was when it is shown again.
addEventListener("pagehide", () => connection.leave())
addEventListener("pageshow", (event) => event.persisted && connection.join())
