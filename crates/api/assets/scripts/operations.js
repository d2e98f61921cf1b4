// Refreshes the numbers of the operations page when something happens.

import { onEvent } from "./events.js"
import { showTimes } from "./times.js"
import { refresher } from "./refresh.js"

const REFRESH_PAUSE = 3000

showTimes()
onEvent(refresher(document.getElementById("now"), "/app/operations/now", REFRESH_PAUSE))
