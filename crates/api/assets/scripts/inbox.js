// The inbox: what everybody has of it. Uploading and processing again come beside it, for those who may.

import { localTimes } from "./times.js"
import "./inbox/list.js"
import "./inbox/keys.js"

localTimes(document)
