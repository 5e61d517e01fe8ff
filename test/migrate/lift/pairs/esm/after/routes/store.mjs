export const find = (id) => (id === '404' ? undefined : { id })
