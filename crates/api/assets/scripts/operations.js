// The figures, shown anew when something happens.

import { onEvent } from "./events.js"
import { showTimes } from "./moments.js"
import { renewing } from "./part.js"

const EVERY = 3000

showTimes()
onEvent(renewing(document.getElementById("now"), "/app/operations/now", EVERY))
