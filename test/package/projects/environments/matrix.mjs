import * as core from 'routecontrollers'
import * as ofExpress from 'routecontrollers/express'
import compare from './matrix.cjs'

const { default: express } = await import(process.argv[2])
await compare({ express, core, ofExpress })
