// The inbox, for everybody. Uploading and reprocessing have scripts of their own, for people with the role `operate`.

import { showTimes } from "./times.js"
import "./inbox/list.js"
import "./inbox/shortcuts.js"

showTimes()
