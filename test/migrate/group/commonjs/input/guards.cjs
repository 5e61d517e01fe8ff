exports.requireUser = function requireUser(req, res, next) {
  if (req.get('x-user') === undefined) return res.sendStatus(401)
  req.user = req.get('x-user')
  next()
}
exports.auth = {
  requireAdmin(req, res, next) {
    return req.user === 'admin' ? next() : res.status(403).json({ user: req.user })
  },
}
exports.count = (req, res, next) => {
  res.set('X-Count', String((res.get('X-Count') ?? 0) * 1 + 1))
  next()
}
