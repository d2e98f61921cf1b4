// The inbox: what everybody has of it. Uploading and processing again come beside it, for those who may.

import { showTimes } from "./moments.js"
import "./inbox/list.js"
import "./inbox/keys.js"

showTimes()
