exports.validateSession = function validateSession(req, res, next) {
  if (req.headers.session) next()
  else res.sendStatus(401)
}

exports.requireRole = (role) => (req, res, next) => {
  if (req.role === role) next()
  else res.sendStatus(403)
}
