// Whoever follows a link from another site comes without their session: browsers send it only from our own pages. So this
// page asks once more, and goes on if nobody has to log in.

const answer = await fetch(location.href, { redirect: "manual", headers: { Accept: "text/html" } })
if (answer.type === "opaqueredirect") location.replace(document.querySelector("input[name=next]").value)
