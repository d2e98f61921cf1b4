// Logging in again without leaving the page: what a person has typed stays where it is, and their requests go on.

import { page, t } from "./page.js"

let loggingIn = null

/** Uses another session of the same person. */
function adopt({ name, csrf }) {
  if (name !== page.name) return false
  page.csrf = csrf
  for (const input of document.querySelectorAll("input[name=csrf]")) input.value = csrf
  return true
}

/** Whether there is a session of this person. Another page of the browser may have begun it. */
async function hasSession() {
  const response = await fetch("/app/session", { headers: { Accept: "application/json" } }).catch(() => null)
  return response?.ok === true && adopt(await response.json())
}

function build() {
  const dialog = document.createElement("dialog")
  dialog.id = "login-dialog"
  dialog.setAttribute("aria-labelledby", "login-dialog-title")
  const element = (tag, properties) => Object.assign(document.createElement(tag), properties)
  const title = element("h2", { id: "login-dialog-title", textContent: t("frame.session_ended") })
  const text = element("p", { textContent: t("frame.log_in_again", page.name) })
  const label = element("label", { htmlFor: "login-dialog-key", textContent: t("frame.key") })
  const key = element("input", { id: "login-dialog-key", type: "password", required: true, autocomplete: "current-password" })
  const problem = element("p", { className: "login-error", id: "login-dialog-error", hidden: true })
  problem.setAttribute("role", "alert")
  key.setAttribute("aria-describedby", problem.id)
  const bar = element("p", { className: "bar" })
  bar.append(element("button", { className: "primary", textContent: t("frame.log_in") }))
  const form = element("form", { method: "dialog" })
  form.append(title, text, label, key, problem, bar)
  dialog.append(form)
  document.body.append(dialog)
  return { dialog, form, key, problem }
}

async function problemOf(response) {
  if (response === null) return t("frame.offline")
  const body = await response.json().catch(() => null)
  const refused = { KEY_EXPIRED: "frame.expired_key", KEY_REPLACED: "frame.replaced_key" }
  if (response.status === 401) return t(refused[body?.details?.reason] ?? "frame.wrong_key")
  if (body?.details?.reason === "OTHER_PERSON") return t("frame.other_person", page.name)
  return page.words[`errors.${body?.error_code}`] ?? `HTTP ${response.status}`
}

/** Asks for the key until it is right. Resolves to whether the person is logged in again. */
function askForKey() {
  const { dialog, form, key, problem } = build()
  return new Promise((resolve) => {
    const finish = (isLoggedIn) => {
      document.removeEventListener("visibilitychange", look)
      dialog.remove()
      resolve(isLoggedIn)
    }
    const look = async () => !document.hidden && (await hasSession()) && finish(true)
    form.addEventListener("submit", async (event) => {
      event.preventDefault()
      const body = new URLSearchParams({ key: key.value, name: page.name })
      const response = await fetch("/app/login", { method: "POST", body, headers: { Accept: "application/json" } }).catch(() => null)
      if (response?.ok && adopt(await response.json())) return finish(true)
      problem.textContent = await problemOf(response)
      problem.hidden = false
      key.value = ""
      key.focus()
    })
    dialog.addEventListener("cancel", () => finish(false))
    document.addEventListener("visibilitychange", look)
    dialog.showModal()
    key.focus()
  })
}

/** Logs in again, once for all requests that need it. Resolves to whether the person is logged in. */
export function logInAgain() {
  loggingIn ??= hasSession()
    .then((isBack) => isBack || askForKey())
    .finally(() => { loggingIn = null })
  return loggingIn
}
