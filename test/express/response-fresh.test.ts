import { describeAnswers } from './support/answers.js'

const textTag = 'W/"4-Ny6gjKsz5xwCxlHbyDpHTTLGduo"'
const modified = 'Tue, 01 Jan 2030 00:00:00 GMT'

const conditions = {
  'the ETag': { headers: { 'If-None-Match': textTag } },
  'its own ETag': { headers: { 'If-None-Match': '"mine"' } },
  'a weak ETag of a strong one': { headers: { 'If-None-Match': 'W/"mine"' } },
  'a strong ETag of a weak one': { headers: { 'If-None-Match': textTag.slice(2) } },
  'a list': { headers: { 'If-None-Match': `"a", ${textTag} ,"mine"` } },
  'any ETag': { headers: { 'If-None-Match': '*' } },
  'another ETag': { headers: { 'If-None-Match': '"other"' } },
  'an empty ETag': { headers: { 'If-None-Match': '' } },
  'no-cache': { headers: { 'If-None-Match': '*', 'Cache-Control': 'max-age=0, no-cache' } },
  'If-Modified-Since': { headers: { 'If-Modified-Since': modified } },
  'an earlier If-Modified-Since': { headers: { 'If-Modified-Since': 'Tue, 01 Jan 2019 00:00:00 GMT' } },
  'a malformed If-Modified-Since': { headers: { 'If-Modified-Since': 'yesterday' } },
  'a failed ETag and If-Modified-Since': {
    headers: { 'If-None-Match': '"other"', 'If-Modified-Since': modified },
  },
  'HEAD with the ETag': { method: 'HEAD', headers: { 'If-None-Match': textTag } },
  'POST with any ETag': { method: 'POST', headers: { 'If-None-Match': '*' } },
  'no condition': {},
}

describeAnswers(
  'the ETag of res.send and res.json, and 304',
  {
    text: (_req, res) => res.send('text'),
    'an ETag of its own': (_req, res) => res.set('ETag', '"mine"').send('text'),
    'Last-Modified': (_req, res) => res.set('Last-Modified', modified).send('text'),
  },
  { requests: conditions },
)

describeAnswers(
  'what is fresh, and what is not',
  {
    json: (_req, res) => res.json({ a: 1 }),
    '201': (_req, res) => res.status(201).send('text'),
    '403': (_req, res) => res.status(403).send('text'),
    '204': (_req, res) => res.status(204).send('text'),
    'headers of the body': (_req, res) =>
      res.set({ 'Content-Language': 'en', 'X-Kept': 'yes' }).cookie('a', 'b').send('text'),
    'an undefined body': (_req, res) => res.set('ETag', '"mine"').send(),
    redirect: (_req, res) => res.redirect('/y'),
    end: (_req, res) => res.end('text'),
    'fresh read by the handler': (req, res) => res.set('ETag', '"mine"').send(`${req.fresh} ${req.stale}`),
  },
  {
    requests: {
      'any ETag': conditions['any ETag'],
      'its own ETag': conditions['its own ETag'],
      'no condition': {},
    },
  },
)
