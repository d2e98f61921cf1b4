// What every page does: it says when the server does not answer.

import { t } from "./page.js"
import { onLive } from "./events.js"

const live = document.getElementById("live")

onLive((isLive) => {
  live.hidden = isLive
  live.textContent = isLive ? "" : t("frame.offline")
})
