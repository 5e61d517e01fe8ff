/** The HTML of the shop: functions from data to a whole page. */

export function homePage({
  customer,
  lastViewed,
}: {
  customer?: string | undefined
  lastViewed?: string | undefined
}): string {
  const greeting = customer
    ? `<p>Welcome back, ${escapeHtml(customer)}. <a href="/orders">Your orders</a></p>`
    : '<p><a href="/login">Log in</a> to order.</p>'
  const reminder = lastViewed ? `<p>You last looked at ${escapeHtml(lastViewed)}.</p>` : ''
  return page('The tea shop', `${greeting}${reminder}<p><a href="/products">All our teas</a></p>`)
}

export function loginPage(): string {
  return page(
    'Log in',
    `<form method="post" action="/login">
  <label>Your name <input name="name" required maxlength="80"></label>
  <button>Log in</button>
</form>`,
  )
}

export function notFoundPage(path: string): string {
  return page('Not found', `<p>There is nothing at ${escapeHtml(path)}. <a href="/">Home</a></p>`)
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${title}</title>
<link rel="stylesheet" href="/shop.css">
<h1>${title}</h1>
${body}
</html>
`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
