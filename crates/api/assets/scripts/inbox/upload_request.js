// The upload of one file. All its attempts carry the same idempotency key, so that the server stores the file once.

import { HttpError, noResponse } from "../http.js"
import { page } from "../page.js"
import { logInAgain } from "../session.js"

function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")
}

export class UploadRequest {
  constructor(file) {
    this.file = file
    this.key = newKey()
    this.isCancelled = false
  }

  /** Sends the file, again after a new login if the session has ended. A refused upload throws an HttpError whose `retryAfter`
      is in seconds, 0 if retrying makes no sense. */
  async send(onProgress) {
    for (;;) {
      try {
        return await this.#sendOnce(onProgress)
      } catch (error) {
        const isLoggedOut = error.status === 401 || error.details?.reason === "CSRF_TOKEN"
        if (!isLoggedOut || !page.csrf || this.isCancelled || !(await logInAgain())) throw error
      }
    }
  }

  #sendOnce(onProgress) {
    return new Promise((resolve, reject) => {
      const request = this.request = new XMLHttpRequest()
      request.upload.onprogress = ({ loaded, total, lengthComputable }) => lengthComputable && onProgress(loaded / total)
      request.onload = () => {
        const body = parseJson(request.responseText)
        if (request.status >= 200 && request.status < 300) return resolve(body)
        const error = new HttpError(request.status, body)
        const isTemporary = request.status === 429 || request.status === 503
        error.retryAfter = isTemporary ? Number(request.getResponseHeader("Retry-After")) : 0
        reject(error)
      }
      request.onerror = () => reject(noResponse())
      request.onabort = () => reject(new DOMException("", "AbortError"))
      request.open("POST", "/documents/upload")
      request.setRequestHeader("Accept", "application/json")
      request.setRequestHeader("Idempotency-Key", this.key)
      if (page.csrf) request.setRequestHeader("X-CSRF-Token", page.csrf)
      const form = new FormData()
      form.append("file", this.file, this.file.name)
      request.send(form)
    })
  }

  cancel() {
    this.isCancelled = true
    this.request?.abort()
  }
}

function parseJson(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
