import { RouteControllers } from 'routecontrollers'
import { refusal } from '../support/refusal.js'

it('A profile by its name asks for the entry that brings it', () => {
  expect(() => new RouteControllers([], { profile: 'express5' })).toThrow(
    refusal(
      'ERR_OPTION_INVALID',
      'has not been imported',
      "import { express5 } from 'routecontrollers/express'",
    ),
  )
})

it.each(['express6', 5, null, {}])('%j is no profile', (profile) => {
  expect(() => new RouteControllers([], { profile: profile as never })).toThrow(
    refusal('ERR_OPTION_INVALID', "profile is 'express4', 'express5'"),
  )
})
