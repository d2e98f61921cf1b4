// Listens to what happens on the server, once for all pages of a browser: as a shared worker, or inside a page where there are
// none. Each page says from which event on it has not seen anything, and misses none, whatever happens to the connection.

const KEPT = 5000
const PAUSES = [200, 500, 1000, 2000]

export class Listener {
  constructor() {
    this.pages = new Set()
    this.recent = []
    this.begin = null
    this.position = null
    this.isLive = null
    this.generation = 0
  }

  /** Tells a page (a function that takes a message) all that happens after that event. */
  join(page, from) {
    this.pages.add(page)
    const isKept = this.begin !== null && this.begin <= from
    if (isKept) this.recent.filter((event) => event.id > from).forEach((event) => page({ event }))
    else this.#open(from)
    if (this.isLive !== null) page({ live: this.isLive })
  }

  leave(page) {
    this.pages.delete(page)
    if (this.pages.size > 0) return
    this.generation += 1
    this.abort?.abort()
    this.begin = this.isLive = null
  }

  #tell(message) {
    for (const page of this.pages) page(message)
  }

  #setLive(live) {
    if (this.isLive === live) return
    this.isLive = live
    this.#tell({ live })
  }

  /** Begins anew after that event. Pages pass over what they have seen before. */
  #open(from) {
    this.generation += 1
    this.abort?.abort()
    this.recent = []
    this.begin = this.position = from
    this.#follow(this.generation)
  }

  async #follow(generation) {
    for (let failures = 0; generation === this.generation; failures += 1) {
      this.abort = new AbortController()
      try {
        const answer = await fetch("/events", {
          headers: { Accept: "text/event-stream", "Last-Event-ID": String(this.position) },
          signal: this.abort.signal,
        })
        if (answer.status === 400 || answer.status === 401) {
          // Another history, or nobody who may listen: the page has to begin anew.
          if (generation !== this.generation) return
          // Nobody listens any more: whoever joins later begins anew.
          this.begin = null
          this.#tell({ stale: true })
          return
        }
        if (answer.ok) {
          failures = 0
          await this.#read(answer.body, generation)
        }
      } catch {
        // Nobody answers, or the connection broke: again, from where it was.
      }
      if (generation !== this.generation) return
      if (failures > 0) this.#setLive(false)
      await new Promise((resolve) => setTimeout(resolve, PAUSES[Math.min(failures, PAUSES.length - 1)]))
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
      messages.forEach((message) => this.#take(message))
    }
  }

  #take(message) {
    const lines = message.split("\n").map((line) => /^(\w+): ?(.*)$/.exec(line)).filter(Boolean)
    const parts = Object.fromEntries(lines.map(([, name, value]) => [name, value]))
    this.#setLive(true)
    const id = Number(parts.id)
    if (!(id > this.position)) return
    this.position = id
    if (!parts.data || parts.event === "ready") return
    const event = { ...JSON.parse(parts.data), id }
    this.recent.push(event)
    if (this.recent.length > KEPT) this.begin = this.recent.shift().id
    this.#tell({ event })
  }
}

if (typeof SharedWorkerGlobalScope !== "undefined" && self instanceof SharedWorkerGlobalScope) {
  const listener = new Listener()
  self.onconnect = ({ ports: [port] }) => {
    const page = (message) => port.postMessage(message)
    port.onmessage = ({ data }) => (data.join === undefined ? listener.leave(page) : listener.join(page, data.join))
  }
}
