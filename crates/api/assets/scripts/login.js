// A browser that follows a link from another site does not send its session cookie (SameSite=Strict), so that the person
// sees the login page although they are logged in. This request comes from our own page and carries the cookie.

const response = await fetch(location.href, { redirect: "manual", headers: { Accept: "text/html" } })
if (response.type === "opaqueredirect") location.replace(document.querySelector("input[name=next]").value)
