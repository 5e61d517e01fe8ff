import { join } from 'node:path'
import { testedExpress } from './tested.js'

// `express5()` takes the Express of the working directory. One process runs tests of several versions.
process.chdir(testedExpress?.major === 5 ? testedExpress.directory : join(__dirname, '../../..'))
