import type { z } from 'zod'
import type { Order, Org, User } from './schemas.js'

type Of<Schema extends z.ZodType> = z.output<Schema>
export type Store = ReturnType<typeof createStore>

/** A store in memory, with two users. */
export function createStore() {
  const users = [
    { name: 'Ada', email: 'ada@example.com' },
    { name: 'Grace', email: 'grace@example.com' },
  ]
  const byToken = new Map<string, Of<typeof User>>(users.map((user) => [user.name.toLowerCase(), user]))
  /** The orders of an org stand by their ids. */
  const orders = new Map<string, Map<number, Of<typeof Order>>>()
  return { users: byToken, orgs: new Map<string, Of<typeof Org>>(), orders }
}
