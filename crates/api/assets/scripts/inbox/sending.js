// One file on its way to the server. Its key is its own: however often it is sent, it is taken in once.

import { Refused } from "../ask.js"
import { page, t } from "../page.js"

function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")
}

export class Sending {
  constructor(file) {
    this.file = file
    this.key = newKey()
    this.isCancelled = false
  }

  /** Sends it. What the server refuses is thrown; `later` is how many seconds it wants to be left alone. */
  send(onProgress) {
    return new Promise((resolve, reject) => {
      const request = this.request = new XMLHttpRequest()
      request.upload.onprogress = ({ loaded, total, lengthComputable }) => lengthComputable && onProgress(loaded / total)
      request.onload = () => {
        const body = readable(request.responseText)
        if (request.status >= 200 && request.status < 300) return resolve(body)
        const refused = new Refused(request.status, body)
        const later = Number(request.getResponseHeader("Retry-After"))
        reject(Object.assign(refused, { later: request.status === 429 || request.status === 503 ? later : 0 }))
      }
      request.onerror = () => reject(new Refused(0, { error_code: "NO_ANSWER", message: t("frame.offline") }))
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

function readable(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
