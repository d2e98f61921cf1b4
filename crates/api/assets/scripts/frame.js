// Runs on every page: shows a notice while the server does not respond.

import { t } from "./page.js"
import { onConnectionChange } from "./events.js"

const notice = document.getElementById("offline")

onConnectionChange((isConnected) => {
  notice.hidden = isConnected
  notice.textContent = isConnected ? "" : t("frame.offline")
})
