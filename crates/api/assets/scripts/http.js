// HTTP requests to the server. A request that fails throws an HttpError, whose message is in the reader's language.

import { page } from "./page.js"
import { logInAgain } from "./session.js"

const BYTES_PER_MB = 1024 * 1024

/** The message of an error: by the reason of a conflict, or else by the error code. Only what a request got wrong is told in the
    server's own words, which name the field. */
function messageOf(status, body) {
  const { error_code: code, message, details } = body ?? { message: `HTTP ${status}` }
  const reason = code === "CONFLICT" ? details?.reason : undefined
  const text = page.words[`errors.${reason}`] ?? page.words[`errors.${code}`]
  if (text === undefined) return message
  const megabytes = details?.max_bytes && new Intl.NumberFormat(page.language, { maximumFractionDigits: 1 }).format(details.max_bytes / BYTES_PER_MB)
  return text.replace("{}", () => megabytes ?? message)
}

export class HttpError extends Error {
  constructor(status, body) {
    super(messageOf(status, body))
    this.status = status
    this.code = body?.error_code ?? "NO_ANSWER"
    this.details = body?.details ?? null
  }
}

/** The error of a request that got no response. */
export const noResponse = () => new HttpError(0, { error_code: "NO_ANSWER", message: page.words["frame.offline"] })

async function send(address, options) {
  for (;;) {
    const headers = { ...options.headers }
    if (page.csrf) headers["X-CSRF-Token"] = page.csrf
    let response
    try {
      response = await fetch(address, { ...options, headers, credentials: "same-origin" })
    } catch (error) {
      // The caller cancelled the request: the server is fine.
      if (error.name === "AbortError") throw error
      throw noResponse()
    }
    if (response.ok) return response
    const body = await response.json().catch(() => null)
    // The session has ended, or another page of the browser has begun a new one.
    const isLoggedOut = response.status === 401 || body?.details?.reason === "CSRF_TOKEN"
    if (!isLoggedOut || !page.csrf || !(await logInAgain())) throw new HttpError(response.status, body)
  }
}

/** Sends a request and returns the JSON of its response, or null if the response is empty. */
export async function requestJson(address, { method = "GET", body, headers = {}, signal } = {}) {
  const contentType = body === undefined ? {} : { "Content-Type": "application/json" }
  const response = await send(address, {
    method, signal,
    headers: { Accept: "application/json", ...contentType, ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  return response.status === 204 ? null : response.json()
}

/** Fetches the HTML of a part of a page. A request in the background, which no person asked for, does not keep the session
    alive. */
export async function requestPart(address, { signal, isBackground = false } = {}) {
  const background = isBackground ? { "X-Quire-Background": "1" } : {}
  const response = await send(address, { signal, headers: { Accept: "text/vnd.quire.part", ...background } })
  return response.text()
}
