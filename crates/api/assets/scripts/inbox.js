// The inbox: its parts, put together.

import { page } from "./page.js"
import { localTimes } from "./times.js"
import "./inbox/list.js"
import "./inbox/keys.js"

localTimes(document)
if (page.may.operate) {
  import("./inbox/upload.js")
  import("./inbox/reprocess.js")
}
