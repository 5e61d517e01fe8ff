/** Autocannon in a process of its own, so that it can be pinned: `node autocannon.js <options>`. */
import autocannon from 'autocannon'

const options = JSON.parse(process.argv[2])
const start = performance.now()
const { requests, errors, timeouts, non2xx } = await autocannon({ ...options, sampleInt: 100 })
const seconds = (performance.now() - start) / 1000
console.log(JSON.stringify({ requests: requests.total, seconds, failures: errors + timeouts + non2xx }))
