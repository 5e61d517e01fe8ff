// Without modules of Node that middleware cannot be loaded.
export const packages = undefined
