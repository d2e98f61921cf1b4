// Asking the server. What it refuses is thrown with the code and the message of its answer.

import { page } from "./page.js"

export class Refused extends Error {
  constructor(status, body) {
    super(body?.message ?? `HTTP ${status}`)
    this.status = status
    this.code = body?.error_code ?? "NO_ANSWER"
    this.details = body?.details ?? null
  }
}

async function send(address, options) {
  const headers = { ...options.headers }
  if (page.csrf) headers["X-CSRF-Token"] = page.csrf
  let answer
  try {
    answer = await fetch(address, { ...options, headers, credentials: "same-origin" })
  } catch (error) {
    // Whoever asked wants no answer any more: nothing is wrong with the server.
    if (error.name === "AbortError") throw error
    throw new Refused(0, { error_code: "NO_ANSWER", message: page.words["frame.offline"] })
  }
  if (answer.ok) return answer
  if (answer.status === 401) location.assign(`/app/login?next=${encodeURIComponent(location.pathname + location.search)}`)
  throw new Refused(answer.status, await answer.json().catch(() => null))
}

/** Asks for JSON. */
export async function ask(address, { method = "GET", body, headers = {}, signal } = {}) {
  const sent = body === undefined ? {} : { "Content-Type": "application/json" }
  const answer = await send(address, {
    method, signal,
    headers: { Accept: "application/json", ...sent, ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  return answer.status === 204 ? null : answer.json()
}

/** Asks for a part of a page. */
export async function askPart(address, { signal } = {}) {
  const answer = await send(address, { signal, headers: { Accept: "text/vnd.quire.part" } })
  return answer.text()
}
