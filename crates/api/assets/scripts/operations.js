// Refreshes the numbers of the operations page when something happens, and pauses and resumes lanes.

import { requestJson } from "./http.js"
import { onEvent } from "./events.js"
import { showTimes } from "./times.js"
import { refresher } from "./refresh.js"
import { toast } from "./toast.js"

const REFRESH_PAUSE = 3000

showTimes()
const now = document.getElementById("now")
const refresh = refresher(now, "/app/operations/now", REFRESH_PAUSE)
onEvent(refresh)

now.addEventListener("click", async ({ target }) => {
  const { lane, action } = target.dataset
  if (!lane) return
  target.disabled = true
  try {
    await requestJson(`/lanes/${encodeURIComponent(lane)}/${action}`, { method: "POST" })
    refresh()
  } catch (error) {
    target.disabled = false
    toast(error.message, "error")
  }
})
