// What each state of a route is: by whom requests are answered, what is watched, and how the page shows it. No other file names all states,
// and none decides by the name of one where this table can say it.

/** What a state is, without its share. */
export type StateKind = 'legacy' | 'shadow' | 'canary' | 'native'

/** Those that are written with a share, as `canary 5%`. */
export type SharedKind = 'canary'

interface StateMeaning<Answers> {
  /** Who answers: with `'share'` the Controller those clients that are among the share of the state, and legacy the others. */
  readonly answers: Answers
  /** True where the other side gets a copy, and both answers are compared; each request is watched then. */
  readonly isCompared: boolean
  /** What a plan may do: raise the share, and after the last step lead the route on to a state. */
  readonly plan: { readonly then: 'native' } | undefined
  readonly label: string
  /** What the page says beside it. After a share it is the rest of a sentence. */
  readonly note: string
  readonly colour: { readonly light: string; readonly dark: string }
}

/** The states, from the one that trusts the Controller least on. */
export const stateKinds: {
  readonly [Kind in StateKind]: StateMeaning<Kind extends SharedKind ? 'share' : 'legacy' | 'native'>
} = {
  legacy: {
    answers: 'legacy',
    isCompared: false,
    plan: undefined,
    label: 'legacy',
    note: 'the app as it was answers',
    colour: { light: '#64748b', dark: '#94a3b8' },
  },
  shadow: {
    answers: 'legacy',
    isCompared: true,
    plan: undefined,
    label: 'shadow',
    note: 'legacy answers, the Controller is compared',
    colour: { light: '#7c3aed', dark: '#b79cff' },
  },
  canary: {
    answers: 'share',
    isCompared: true,
    plan: { then: 'native' },
    label: 'canary',
    note: 'of the clients get the Controller',
    colour: { light: '#b45309', dark: '#f0a747' },
  },
  native: {
    answers: 'native',
    isCompared: false,
    plan: undefined,
    label: 'native',
    note: 'the Controller answers',
    colour: { light: '#15803d', dark: '#4ade80' },
  },
}

/** All of them, in the order of the table. */
export const kindsOfStates: readonly StateKind[] = Object.keys(stateKinds) as StateKind[]
