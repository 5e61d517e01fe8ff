import installed4 from 'express4'
import { express4 as profile4, type ProfileOptions } from 'routecontrollers/express'

/** The profile of Express 4, with the one that is installed beside Express 5 under another name. */
export function express4(options: ProfileOptions = {}): ReturnType<typeof profile4> {
  return profile4({ express: installed4, ...options })
}
