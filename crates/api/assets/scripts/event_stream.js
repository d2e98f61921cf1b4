// Reads the event stream of the server, once for all pages of a browser: as a shared worker, or inside the page where the
// browser has no shared workers. Each page says which event it has seen last, and gets every later event even if the
// connection breaks.

const MAX_KEPT_EVENTS = 5000
const RETRY_PAUSES = [200, 500, 1000, 2000]

export class EventStream {
  constructor() {
    this.pages = new Set()
    this.recent = []
    this.begin = null
    this.position = null
    this.isConnected = null
    this.generation = 0
  }

  /** Sends a page (a function that takes a message) every event after that one. */
  join(page, from) {
    this.pages.add(page)
    const isKept = this.begin !== null && this.begin <= from
    if (isKept) this.recent.filter((event) => event.id > from).forEach((event) => page({ event }))
    else this.#open(from)
    if (this.isConnected !== null) page({ isConnected: this.isConnected })
  }

  leave(page) {
    this.pages.delete(page)
    if (this.pages.size > 0) return
    this.generation += 1
    this.abort?.abort()
    this.begin = this.isConnected = null
  }

  #broadcast(message) {
    for (const page of this.pages) page(message)
  }

  #setConnected(isConnected) {
    if (this.isConnected === isConnected) return
    this.isConnected = isConnected
    this.#broadcast({ isConnected })
  }

  /** Restarts after that event. Pages ignore events that they have already seen. */
  #open(from) {
    this.generation += 1
    this.abort?.abort()
    this.recent = []
    this.begin = this.position = from
    this.#run(this.generation)
  }

  async #run(generation) {
    for (let failures = 0; generation === this.generation; failures += 1) {
      this.abort = new AbortController()
      try {
        const response = await fetch("/events", {
          headers: { Accept: "text/event-stream", "Last-Event-ID": String(this.position) },
          signal: this.abort.signal,
        })
        if (response.status === 400 || response.status === 401) {
          // The database is another one and the pages have to load again, or the session ended and they join again after
          // the next login.
          if (generation !== this.generation) return
          this.begin = null
          this.#broadcast(response.status === 401 ? { isLoggedOut: true } : { isOutdated: true })
          return
        }
        if (response.ok) {
          failures = 0
          await this.#read(response.body, generation)
        }
      } catch {
        // The server did not respond or the connection broke: try again from the last event.
      }
      if (generation !== this.generation) return
      if (failures > 0) this.#setConnected(false)
      await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSES[Math.min(failures, RETRY_PAUSES.length - 1)]))
    }
  }

  async #read(body, generation) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    let text = ""
    for (;;) {
      const { done, value } = await reader.read()
      if (done || generation !== this.generation) return
      text += value
      const messages = text.split("\n\n")
      text = messages.pop()
      messages.forEach((message) => this.#receive(message))
    }
  }

  #receive(message) {
    const lines = message.split("\n").map((line) => /^(\w+): ?(.*)$/.exec(line)).filter(Boolean)
    const parts = Object.fromEntries(lines.map(([, name, value]) => [name, value]))
    this.#setConnected(true)
    const id = Number(parts.id)
    if (!(id > this.position)) return
    this.position = id
    if (!parts.data || parts.event === "ready") return
    const event = { ...JSON.parse(parts.data), id }
    this.recent.push(event)
    if (this.recent.length > MAX_KEPT_EVENTS) this.begin = this.recent.shift().id
    this.#broadcast({ event })
  }
}

if (typeof SharedWorkerGlobalScope !== "undefined" && self instanceof SharedWorkerGlobalScope) {
  const stream = new EventStream()
  self.onconnect = ({ ports: [port] }) => {
    const page = (message) => port.postMessage(message)
    port.onmessage = ({ data }) => (data.join === undefined ? stream.leave(page) : stream.join(page, data.join))
  }
}
