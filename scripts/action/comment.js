// A step of action.yml: writes the summary as a comment of the pull request, in the place of the one that it has written before.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const { FOLDER, NAME, TOKEN } = process.env
const { GITHUB_API_URL, GITHUB_EVENT_PATH, GITHUB_GRAPHQL_URL, GITHUB_REPOSITORY } = process.env
const { number } = JSON.parse(readFileSync(GITHUB_EVENT_PATH, 'utf8')).pull_request
// By it the comment is found again. It begins the comment, so a quotation of it is another one.
const mark = `<!-- routecontrollers ${NAME} -->`
// A comment has no more letters.
const body = `${mark}\n${readFileSync(join(FOLDER, 'summary.md'), 'utf8')}`.slice(0, 65_000)
const perPage = 100
const mostPages = 30

const ask = (method, path, sent) =>
  askAt(method, `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/issues/${path}`, sent)

async function askAt(method, url, sent) {
  const response = await fetch(url, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
    },
    body: sent === undefined ? undefined : JSON.stringify(sent),
  })
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status}`)
  return response.json()
}

/** Whose token it is. REST tells that to people alone, and not to the token of a job. */
async function ownLogin() {
  const { data } = await askAt('POST', GITHUB_GRAPHQL_URL, { query: '{ viewer { login } }' })
  return data.viewer.login
}

/** GraphQL may leave out what REST has behind the name of a bot. */
function isOf(user, login) {
  return user?.login === login || (user?.type === 'Bot' && user.login === `${login}[bot]`)
}

/** The comment of an earlier run. Others may begin theirs with the mark, and could change it after a run has written it. */
async function earlier(login) {
  for (let page = 1; page <= mostPages; page++) {
    const comments = await ask('GET', `${number}/comments?per_page=${perPage}&page=${page}`)
    const found = comments.find(({ user, body: text }) => isOf(user, login) && text?.startsWith(mark))
    if (found !== undefined || comments.length < perPage) return found
  }
  return undefined
}

try {
  const found = await earlier(await ownLogin())
  if (found === undefined) await ask('POST', `${number}/comments`, { body })
  else await ask('PATCH', `comments/${found.id}`, { body })
} catch (error) {
  // A pull request of a fork has a token that may only read. The summary of the job has the same text.
  console.log(`::warning title=routecontrollers::The comment was not written: ${error.message}`)
}
